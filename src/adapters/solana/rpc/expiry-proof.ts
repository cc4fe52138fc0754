// Proves that a transaction never landed and never will, so that another may take its place (docs/money.md,
// "Proof of expiry").
import type { Signature } from '@solana/kit'
import type { ExpiryProof, ExpiryProver } from '#ports/chain.ts'
import type { ProviderCall } from './provider.ts'
import type { RpcPool } from './rpc-pool.ts'

/** A block that a fork could still take away is not past: 32 finalized blocks more, and every fork is decided. */
const MARGIN_BLOCKS = 32n

type Attempt = Parameters<ExpiryProver['proveExpired']>[0]

/** What one provider says. `height` is its finalized block height. */
type Testimony =
  | { readonly says: 'never_landed'; readonly height: bigint }
  | { readonly says: 'landed' | 'not_yet' | 'unproven'; readonly detail: string }

export const createExpiryProver = (pool: Pick<RpcPool, 'askEach'>): ExpiryProver => ({
  async proveExpired(attempt) {
    const answers = await Promise.all(pool.askEach('proveExpired', (call) => testify(call, attempt)))
    const testimonies = answers.map(
      (answer): Testimony =>
        'answer' in answer ? answer.answer : { says: 'unproven', detail: `away (${answer.fault.message})` },
    )
    return verdict(testimonies)
  },
})

/**
 * The height is asked before the signature: a provider that has finalized past the transaction's life and then does
 * not know it will never know it. The other way round it could land between the two questions.
 */
async function testify({ rpc, abortSignal }: ProviderCall, attempt: Attempt): Promise<Testimony> {
  // Some nodes answer one of these for a newer commitment than asked, so the lower height counts.
  const [epoch, blockHeight] = await Promise.all([
    rpc.getEpochInfo({ commitment: 'finalized' }).send({ abortSignal }),
    rpc.getBlockHeight({ commitment: 'finalized' }).send({ abortSignal }),
  ])
  const height = epoch.blockHeight < blockHeight ? epoch.blockHeight : blockHeight
  const needed = attempt.lastValidBlockHeight + MARGIN_BLOCKS
  const tooEarly = height <= needed

  const asked: readonly Signature[] = [attempt.signature, attempt.knownSignature]
  const { context, value } = await rpc
    .getSignatureStatuses(asked, { searchTransactionHistory: true })
    .send({ abortSignal })
  const [status, known] = value
  if (status) return { says: 'landed', detail: `in slot ${status.slot}` }
  if (tooEarly) return { says: 'not_yet', detail: `finalized block height ${height}, must pass ${needed}` }
  if (!known) return { says: 'unproven', detail: 'does not know what it must know' }
  // Behind one URL may stand many nodes: the one that does not know the signature must be as new as the one that
  // gave the height.
  if (context.slot < epoch.absoluteSlot) return { says: 'unproven', detail: 'searched an older history' }
  return { says: 'never_landed', height }
}

/** One provider that saw it land outweighs all; only a unanimous rest is proof. */
function verdict(testimonies: readonly Testimony[]): ExpiryProof {
  for (const because of ['landed', 'unproven', 'not_yet'] as const)
    for (const [index, testimony] of testimonies.entries())
      if (testimony.says === because)
        return { dead: false, because, detail: `provider ${index + 1}: ${testimony.detail}` }
  const heights = testimonies.flatMap((testimony) => (testimony.says === 'never_landed' ? [testimony.height] : []))
  const [first, ...rest] = heights
  if (first === undefined) return { dead: false, because: 'unproven', detail: 'no provider was asked' }
  const finalizedBlockHeight = rest.reduce((lowest, height) => (height < lowest ? height : lowest), first)
  return { dead: true, finalizedBlockHeight, providers: heights.length }
}
