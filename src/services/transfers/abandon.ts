// The death of an attempt: what proves it, and what becomes of its obligation. docs/money.md, "Proof of expiry".
import type { Commitment, Network, Signature } from '#core/chain/types.ts'
import { coversTransfer } from '#core/payments/booking/preflight.ts'
import { bookExhausted } from '#core/payments/booking/set-aside.ts'
import { moved, UNCHANGED } from '#core/payments/machine/change.ts'
import { type Attempt, isLeasedBy, type LeasedTransfer, type Transfer } from '#core/transfers/transfer.ts'
import type { BalanceReader, DepositKeys, ExpiryProver } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { IntentWorkStore, TransferStore } from '#ports/stores.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { ReadDecisionContext } from '#services/payments/decision-context.ts'
import { sourceAccountOf } from './plan.ts'

/** Attempts that came to nothing, each proved, before a person is asked. */
export const MAX_ATTEMPTS = 8

/** Attempts are counted on after a person re-armed the transfer, which gives it as many again. */
export const isLast = ({ number }: Attempt): boolean => number % MAX_ATTEMPTS === 0

type Doubt = { readonly because: 'landed' | 'not_yet' | 'unproven'; readonly detail: string }

/** Why the attempt may not be taken for dead; null once it is proved that it never landed and never will. */
export async function doubtOf(
  deps: { readonly keys: Pick<DepositKeys, 'tokenAccountOf'>; readonly commitment: Commitment },
  chain: ExpiryProver & BalanceReader,
  transfer: Transfer,
  { signature, knownSignature, lifetime }: Attempt & { readonly signature: Signature },
): Promise<Doubt | null> {
  const { lastValidBlockHeight } = lifetime
  const proof = await chain.proveExpired({ signature, knownSignature, lastValidBlockHeight })
  if (!proof.dead) return proof
  // Providers that forgot a transaction all say that it never was; the money that it moved tells otherwise.
  const { states } = await chain.readAccounts([await sourceAccountOf(deps.keys, transfer)], deps.commitment)
  if (coversTransfer(states[0] ?? null, transfer)) return null
  return { because: 'unproven', detail: 'no provider knows it, but what it was to move is not there any more' }
}

type AbandonDeps = {
  readonly transfers: Pick<TransferStore, 'recordAttempt' | 'hold'>
  readonly intents: Pick<IntentWorkStore, 'facts' | 'apply'>
  readonly decisionContext: ReadDecisionContext
  readonly clock: Clock
}

/**
 * The attempt can never land: another may follow it. True when too many came to nothing, and the obligation is given up
 * with the reason.
 */
export async function abandonAttempt(
  deps: AbandonDeps,
  network: Network,
  { transfer, lease }: LeasedTransfer,
  attempt: Attempt,
  reason: string,
): Promise<boolean> {
  const { intentId } = transfer
  if (isLast(attempt) && intentId !== null && transfer.kind !== 'rent') {
    const context = await deps.decisionContext(network)
    await decideAndApply(deps.intents, intentId, (facts) => {
      const current = facts.transfers.find(({ id }) => id === transfer.id)
      if (!isLeasedBy(lease, current)) return UNCHANGED
      return moved(bookExhausted({ facts, transfer: current, attempt, context }, reason))
    })
    return true
  }
  const details = { now: deps.clock.now(), error: reason }
  const isBuried = await deps.transfers.recordAttempt(lease, attempt.id, 'dead', details)
  if (isLast(attempt) && isBuried) await deps.transfers.hold(lease, reason)
  return isLast(attempt)
}
