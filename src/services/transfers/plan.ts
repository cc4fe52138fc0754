// An obligation as the compiler and the signer read it.
import { SOL } from '#core/chain/types.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'
import type { Attempt, Transfer } from '#core/transfers/transfer.ts'

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
