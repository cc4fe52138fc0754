// Proves that a transaction has expired: it never landed and never will, so that another may take its place
// (docs/money.md, "Proof of expiry").
import type { Signature } from '@solana/kit'
import type { Lifetime } from '#core/chain/types.ts'
import type { ExpiryProof, ExpiryProver } from '#ports/chain.ts'
import type { ProviderCall } from './provider.ts'
import type { RpcPool } from './rpc-pool.ts'

/**
 * A node counts the age of a blockhash from the parent of a block, so a transaction can be in one block more than its last
 * valid height says.
 */
const ONE_BLOCK_MORE = 1n

/**
 * The newest bank of a node may be another one of its slot than the final one, and lack what is in that. Nodes before Agave 4.4
 * ignore the commitment.
 */
const SEARCH = { searchTransactionHistory: true, commitment: 'finalized' } as const

type Attempt = Parameters<ExpiryProver['proveExpired']>[0]

/** The answer of one provider. */
type ProviderReport = { readonly says: 'never_landed' | 'landed' | 'not_yet' | 'unproven'; readonly detail: string }

export const createExpiryProver = (pool: Pick<RpcPool, 'askEach'>): ExpiryProver => ({
  async proveExpired(attempt) {
    const answers = await Promise.all(pool.askEach('proveExpired', (call) => reportOf(call, attempt)))
    const reports = answers.map(
      (answer): ProviderReport =>
        'answer' in answer ? answer.answer : { says: 'unproven', detail: `unreachable (${answer.fault.message})` },
    )
    return proofOf(reports)
  },
})

/** Whether a lifetime has ended in finalized blocks. `slot`: the slot of the provider's answer. */
type Ending = { readonly isOver: boolean; readonly slot: bigint; readonly detail: string }

/**
 * Asks one provider, first for the end of the lifetime and then for the signature: when its finalized blocks are past
 * the end and it does not know the transaction afterwards, the transaction can never land. In the other order it could
 * land in between.
 */
async function reportOf(call: ProviderCall, attempt: Attempt): Promise<ProviderReport> {
  const { lifetime } = attempt
  const ending = await endOfBlocks(call, lifetime)

  const { rpc, abortSignal } = call
  const asked: readonly Signature[] = [attempt.signature, attempt.knownSignature]
  const { context, value } = await rpc.getSignatureStatuses(asked, SEARCH).send({ abortSignal })
  const [status, known] = value
  if (status) return { says: 'landed', detail: `in slot ${status.slot}` }
  if (!ending.isOver) return { says: 'not_yet', detail: ending.detail }
  if (!known) return { says: 'unproven', detail: 'does not know the required transaction' }
  // Behind one URL may stand many nodes: the one that does not know the signature must be as new as the one that said
  // that the lifetime is over.
  if (context.slot < ending.slot) return { says: 'unproven', detail: 'searched an older history' }
  return { says: 'never_landed', detail: ending.detail }
}

async function endOfBlocks({ rpc, abortSignal }: ProviderCall, lifetime: Lifetime): Promise<Ending> {
  // Some nodes answer one of the two calls for a newer commitment than asked, so the lower height counts.
  const [epoch, blockHeight] = await Promise.all([
    rpc.getEpochInfo({ commitment: 'finalized' }).send({ abortSignal }),
    rpc.getBlockHeight({ commitment: 'finalized' }).send({ abortSignal }),
  ])
  const height = epoch.blockHeight < blockHeight ? epoch.blockHeight : blockHeight
  const needed = lifetime.lastValidBlockHeight + ONE_BLOCK_MORE
  return {
    isOver: height > needed,
    slot: epoch.absoluteSlot,
    detail: `finalized block height ${height}, must pass ${needed}`,
  }
}

/** Returns the proof when every provider agrees. One provider that saw the transaction land outweighs the others. */
function proofOf(reports: readonly ProviderReport[]): ExpiryProof {
  for (const because of ['landed', 'unproven', 'not_yet'] as const)
    for (const [index, report] of reports.entries())
      if (report.says === because) return { expired: false, because, detail: `provider ${index + 1}: ${report.detail}` }
  if (reports.length === 0) return { expired: false, because: 'unproven', detail: 'no provider was asked' }
  return { expired: true, providers: reports.length }
}
