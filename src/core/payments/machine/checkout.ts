// What the buyer does with an intent, or leaves undone: quoted, chosen, cancelled, expired.

import type { Asset } from '#core/chain/types.ts'
import { type Decision, type IntentFacts, moved, refused, startChange, step, UNCHANGED } from '#core/payments/change.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import { isExplained, type ReadBalances } from '#core/payments/deposits/inbound.ts'
import type { Selection } from '#core/payments/intent-values.ts'
import { complete } from '#core/payments/machine/complete.ts'
import { isExpired, leastPaid, type PaymentIntent, WINDOW_ENDED } from '#core/payments/payment-intent.ts'
import { Position } from '#core/payments/position/position.ts'

/** Judges whether the buyer can still be quoted. Spec: GET /intents/quote. */
export function judgeQuote(intent: PaymentIntent, now: Date): 'not_quotable' | null {
  return intent.status === 'pending' && !isExpired(intent, now) ? null : 'not_quotable'
}

/** Judges whether the buyer can still choose, before a price is asked for. Spec: POST /intents/select-token. */
export function judgeSelection(
  intent: PaymentIntent,
  asset: Asset,
  now: Date,
): 'asset_not_accepted' | 'intent_cancelled' | 'intent_expired' | 'selection_frozen' | null {
  if (intent.status === 'cancelled') return intent.statusReason === WINDOW_ENDED ? 'intent_expired' : 'intent_cancelled'
  if (intent.status !== 'pending') return 'selection_frozen'
  if (isExpired(intent, now)) return 'intent_expired'
  return intent.acceptedAssets.includes(asset) ? null : 'asset_not_accepted'
}

/**
 * Locks the buyer's choice at the current rate. It can be repeated until money arrives. A payment that has landed wins, also before
 * it is taken in: `balances` were just read. Spec: POST /intents/select-token.
 */
export function decideSelection(
  facts: IntentFacts,
  selection: Selection,
  now: Date,
  balances: Balances = [],
): Decision {
  const { intent } = facts
  const refusal = judgeSelection(intent, selection.asset, now)
  if (refusal !== null) return refused(refusal)
  // A wrong asset does not freeze the choice, unless the buyer now chooses that asset. Its money would not count towards
  // the price, and could not be distinguished from the payment when the address is swept.
  if (facts.deposits.some(({ use, asset }) => use === 'applied' || asset === selection.asset))
    return refused('selection_frozen')
  const freezes = ({ asset }: Balances[number]) => asset === selection.asset || selects(intent, asset)
  if (balances.some((balance) => freezes(balance) && !isExplained(facts, [], balance)))
    return refused('payment_arriving')
  return moved(step(startChange(intent), { selection }, now, 'intent.token_selected'))
}

/**
 * Ends an intent whose window is over. The chain was read to a block after the window, so every payment is known. The
 * intent is cancelled, or the part that arrived goes back. docs/contract.md, "Expiry".
 */
export function decideExpiry(facts: IntentFacts, readTo: Date, context: DecisionContext): Decision {
  const { intent } = facts
  if (readTo <= intent.expiresAt) return UNCHANGED
  if (intent.status === 'pending') {
    return cancel(facts, { statusReason: WINDOW_ENDED }, context)
  }
  return intent.status === 'underpaid' ? refund(facts, context) : UNCHANGED
}

/**
 * Cancels before payment, for the business or the buyer. A payment that has landed wins, also before it is taken in:
 * `balances` were just read. Spec: POST /cancel, POST /intents/cancel.
 */
export function decideCancel(facts: IntentFacts, context: DecisionContext, balances: Balances = []): Decision {
  const answer = judgeCancel(facts.intent)
  if (answer === 'unchanged') return UNCHANGED
  if (answer !== null) return refused(answer)
  if (balances.some((balance) => mayPay(facts.intent, balance) && !isExplained(facts, [], balance)))
    return refused('payment_arriving')
  return facts.intent.status === 'pending' ? cancel(facts, {}, context) : refund(facts, context)
}

type Balances = ReadBalances['balances']

/** Returns whether money in an asset counts towards the price: in the selected one, and before a selection in any accepted one. */
const selects = ({ selection, acceptedAssets }: PaymentIntent, asset: Asset): boolean =>
  selection === null ? acceptedAssets.includes(asset) : selection.asset === asset

/** Returns whether a balance may pay the price, or select its asset. Less than the price goes back after a cancel. */
const mayPay = (intent: PaymentIntent, { asset, balance }: Balances[number]): boolean =>
  selects(intent, asset) &&
  (intent.selection === null || balance >= leastPaid(intent.selection.expected, intent.underpaymentToleranceBps))

/** Returns the answer to a cancel by the status alone; null while a cancel changes the intent. */
export function judgeCancel({
  status,
}: Pick<PaymentIntent, 'status'>): 'unchanged' | 'payment_already_received' | null {
  switch (status) {
    case 'pending':
    case 'underpaid':
      return null
    case 'cancelled':
    case 'refunding':
    case 'refunded':
    case 'refund_failed':
      return 'unchanged'
    case 'paid':
    case 'overpaid':
    case 'settling':
    case 'swept':
    case 'settle_failed':
      return 'payment_already_received'
  }
}

/** Money that was paid after the window, before the service recorded its end, goes back. */
const cancel = (facts: IntentFacts, why: { readonly statusReason?: string }, context: DecisionContext): Decision =>
  moved(complete(new Position(facts, context).moveTo('cancelled', why)))

const refund = (facts: IntentFacts, context: DecisionContext): Decision =>
  moved(complete(new Position(facts, context).moveTo('refunding')))
