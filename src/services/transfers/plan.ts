// The plan of a transfer, which the compiler and the signer read.
import type { Address, Lifetime } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'
import type { Attempt, Transfer } from '#core/transfers/transfer.ts'
import type { DepositKeys } from '#ports/chain.ts'
import type { TransferSubject } from './subject.ts'

/** Returns the account that the asset leaves: the source itself for SOL, its token account for a token. */
export const sourceAccountOf = async (
  keys: Pick<DepositKeys, 'tokenAccountOf'>,
  { source, sourceAccount, asset, tokenProgram }: Pick<Transfer, 'source' | 'sourceAccount' | 'asset' | 'tokenProgram'>,
): Promise<Address> => {
  if (asset === SOL || tokenProgram === null) return source
  return sourceAccount ?? (await keys.tokenAccountOf(source, asset, tokenProgram))
}

/** Returns the plan of an attempt, from the stored transfer and never from its message. */
export function planOf(
  transfer: Transfer,
  { harvestWithheld, lifetime }: Pick<Attempt, 'harvestWithheld'> & { readonly lifetime: Lifetime },
  { action }: Pick<TransferSubject, 'action'>,
): TransactionPlan {
  const { key, network, source, sourceAccount, authority, asset, decimals, tokenProgram, legs } = transfer
  const from = { network, source, ...(sourceAccount !== null && { sourceAccount }), authority, lifetime }
  const token = asset === SOL || tokenProgram === null ? null : { mint: asset, tokenProgram, decimals }
  const isPull = authority.address !== source
  if (action === 'legs') return { ...from, kind: 'legs', asset, token, legs, ...(isPull && { memo: key }) }
  if (token === null) throw new Error('only a token account has rent to collect')
  return { ...from, kind: 'close', token, harvestWithheld }
}
