// An obligation as the compiler and the signer read it.
import type { Address } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'
import type { Attempt, Transfer } from '#core/transfers/transfer.ts'
import type { DepositKeys } from '#ports/chain.ts'

/** The account that the asset leaves: the deposit address itself for SOL, its token account for a token. */
export const sourceAccountOf = async (
  keys: Pick<DepositKeys, 'tokenAccountOf'>,
  { source, asset, tokenProgram }: Pick<Transfer, 'source' | 'asset' | 'tokenProgram'>,
): Promise<Address> =>
  asset === SOL || tokenProgram === null ? source : await keys.tokenAccountOf(source, asset, tokenProgram)

/** The plan that an attempt's message must carry out: from the stored obligation, never from the message. */
export function planOf(transfer: Transfer, attempt: Pick<Attempt, 'harvestWithheld'>): TransactionPlan {
  const from = {
    network: transfer.network,
    source: transfer.source,
    sourceKey: {
      network: transfer.network,
      branch: 'deposit' as const,
      account: transfer.sourceAccountIndex,
      intent: transfer.sourceIntentIndex,
    },
  }
  const { asset, decimals, tokenProgram } = transfer
  const token = asset === SOL || tokenProgram === null ? null : { mint: asset, tokenProgram, decimals }
  if (transfer.kind !== 'rent') return { ...from, kind: 'legs', asset, token, legs: transfer.legs }
  if (token === null) throw new Error('only a token account has rent to collect')
  return { ...from, kind: 'close', token, harvestWithheld: attempt.harvestWithheld }
}
