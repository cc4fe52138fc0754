// What is owed back goes back: balances of a deposit address that nobody is owed, to whoever sent them.
import { type Asset, SOL, SOL_DECIMALS } from '#core/chain/types.ts'
import { type IntentChange, type IntentFacts, moveTo, step } from '#core/payments/machine/change.ts'
import type { Surroundings } from '#core/payments/machine/decision-context.ts'
import { claimsAfter, depositsAfter, paymentAssets } from '#core/payments/machine/reservations.ts'
import type { IntentStatus } from '#core/payments/payment-intent.ts'
import { tellReturns } from '#core/payments/returns/return-lists.ts'
import { heldExcess, standingOf } from '#core/payments/returns/return-state.ts'
import type { NewTransfer } from '#core/transfers/transfer.ts'

/** Plans what can go back now, ends a refund that is over, and tells where everything stands. Last in every change. */
export function withReturns(change: IntentChange, facts: IntentFacts, around: Surroundings): IntentChange {
  const planned = planReturns(change, facts, around)
  const reopened = reopen(planned, change, facts, around)
  const complete = reopened === planned ? planned : planReturns(reopened, facts, around)
  const tell = (told: IntentChange) => tellReturns(tellExcess(told, facts, around), facts, around)
  // Before the refund ends as well, so that the event of its end says what went back, and what is held.
  const told = tell(complete)
  const ended = endRefunding(told, facts, around)
  return ended === told ? told : tell(ended)
}

function planReturns(change: IntentChange, facts: IntentFacts, around: Surroundings): IntentChange {
  const assets = new Set(depositsAfter(change, facts).flatMap(({ asset, use }) => (use === 'held' ? [] : [asset])))
  let next = change
  for (const asset of assets) next = returnAsset(next, facts, asset, around)
  return next
}

/** Of a swept intent: why what was paid too much could not go back, for as long as that is so. */
function tellExcess(change: IntentChange, facts: IntentFacts, around: Surroundings): IntentChange {
  if (change.after.status !== 'swept') return change
  const statusReason = heldExcess(change, facts, around)
  return statusReason === change.after.statusReason ? change : step(change, { statusReason }, around.now, null)
}

function returnAsset(change: IntentChange, facts: IntentFacts, asset: Asset, around: Surroundings): IntentChange {
  const standing = standingOf(change, facts, asset, around)
  if (standing.is !== 'ready') return change
  const intent = change.after
  const token = around.tokens.get(asset)
  const rounds = claimsAfter(change, facts).filter(({ kind }) => kind === 'refund')
  const round = 1 + Math.max(0, ...rounds.map(({ round: last }) => last))
  const transfer: NewTransfer = {
    key: `refund:intent:${intent.derivationIndex}:${round}:${asset}`,
    kind: 'refund',
    network: intent.network,
    accountId: intent.accountId,
    intentId: intent.id,
    source: intent.address,
    sourceAccountIndex: facts.payee.accountIndex,
    sourceIntentIndex: intent.derivationIndex,
    asset,
    decimals: asset === SOL ? SOL_DECIMALS : (token?.decimals ?? 0),
    tokenProgram: token?.tokenProgram ?? null,
    round,
    legs: standing.legs,
  }
  return { ...change, transfers: [...change.transfers, transfer] }
}

/** Statuses in which nothing of the payment is on its way back. */
const REOPENS: ReadonlySet<IntentStatus> = new Set(['cancelled', 'refunded', 'refund_failed'])

/** What could not go back before can now, with what came in the meantime: the refund is under way again. */
function reopen(change: IntentChange, before: IntentChange, facts: IntentFacts, around: Surroundings): IntentChange {
  if (!REOPENS.has(change.after.status)) return change
  const ofPayment = paymentAssets(depositsAfter(change, facts))
  const planned = change.transfers.slice(before.transfers.length)
  const refund = planned.find(({ asset }) => ofPayment.has(asset))
  if (refund === undefined) return change
  const recipient = refund.legs.find(({ role }) => role === 'refund')?.destination ?? null
  return moveTo(change, 'refunding', { refundSender: change.after.refundSender ?? recipient }, around.now)
}

/** A refund is over when nothing of what it is about is left to return, and failed when something cannot be. */
function endRefunding(change: IntentChange, facts: IntentFacts, around: Surroundings): IntentChange {
  if (change.after.status !== 'refunding') return change
  const owed = [...paymentAssets(depositsAfter(change, facts))]
  // A fork took back everything that there was to return.
  if (owed.length === 0) return moveTo(change, 'cancelled', {}, around.now)
  const standings = owed.map((asset) => standingOf(change, facts, asset, around))
  if (standings.some(({ is }) => is === 'open' || is === 'waiting' || is === 'ready')) return change
  const stuck = standings.find((standing) => standing.is === 'stuck')
  if (stuck?.is === 'stuck') return moveTo(change, 'refund_failed', { statusReason: stuck.reason }, around.now)
  return moveTo(change, 'refunded', {}, around.now)
}
