// Where the return of an asset stands: decided anew each time from deposits and transfers, so that it does not matter in
// which order they came to be known. CONTRACT, MONEY: refunds.
import type { Asset } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import type { IntentChange, IntentFacts } from '#core/intents/change.ts'
import { claimsAfter, depositsAfter, isOpen, unclaimedOf } from '#core/intents/claims.ts'
import type { IntentStatus } from '#core/intents/intent.ts'
import { allocateRefund, type Share, totalOf } from '#core/intents/shares.ts'
import type { Surroundings } from '#core/intents/surroundings.ts'
import { subtract } from '#core/money/amounts.ts'
import type { Leg } from '#core/transfers/plan.ts'

/** How often a return is planned anew after its transaction failed. */
export const MAX_RETURN_ROUNDS = 5

export const SENDER_UNKNOWN = 'Nobody can be told for sure to have sent it.'
export const TOO_SMALL = 'It is less than the network fee that returning it costs.'
export const FAILED_TOO_OFTEN = 'The transfer back failed too often.'

export type Standing =
  /** Nothing owed back; owed to the business; not final yet; on its way. */
  | { readonly is: 'nothing' | 'business' | 'waiting' | 'open' }
  /** A person has to look: because a transfer gave up, or because none can be planned. */
  | { readonly is: 'stuck'; readonly reason: string; readonly gaveUp: boolean }
  | { readonly is: 'ready'; readonly legs: readonly Leg[] }

/** Statuses in which the selected asset is owed back, and not to the business. */
const OWED_BACK: ReadonlySet<IntentStatus> = new Set(['swept', 'refunding', 'refunded', 'refund_failed', 'cancelled'])

export function standingOf(change: IntentChange, facts: IntentFacts, asset: Asset, around: Surroundings): Standing {
  const { status, selection } = change.after
  if (asset === selection?.asset && !OWED_BACK.has(status)) return { is: 'business' }
  const deposits = depositsAfter(change, facts).filter((deposit) => deposit.asset === asset && deposit.use !== 'held')
  const claims = claimsAfter(change, facts).filter((claim) => claim.asset === asset)
  const open = claims.find(isOpen)
  if (open?.status === 'held') return { is: 'stuck', reason: open.reason ?? HELD, gaveUp: false }
  if (open !== undefined) return { is: 'open' }
  // One that is not final yet would be left behind, or make the transaction fail for what it leaves.
  if (deposits.some(({ state }) => state === 'confirmed')) return { is: 'waiting' }
  const owed = unclaimedOf(asset, deposits, claims)
  if (owed.length === 0) return { is: 'nothing' }
  const refunds = claims.filter(({ kind }) => kind === 'refund')
  const last = refunds.find(({ round }) => refunds.every((other) => other.round <= round))
  // The status says that a person is asked: a new round of its own accord would take the decision away.
  if (status === 'refund_failed' && last?.status === 'failed') return GAVE_UP
  if (refunds.filter((refund) => refund.status === 'failed').length >= MAX_RETURN_ROUNDS) return GAVE_UP
  return planLegs(asset, owed, around)
}

const HELD = 'The transfer is held.'
const GAVE_UP: Standing = { is: 'stuck', reason: FAILED_TOO_OFTEN, gaveUp: true }

/** Everything to its senders; of SOL, the network fee comes out of the largest share. */
function planLegs(asset: Asset, owed: readonly Share[], { terms }: Surroundings): Standing {
  const shares = [...allocateRefund(totalOf(owed), owed)].sort((a, b) => (a.amount > b.amount ? -1 : 1))
  const [largest] = shares
  if (largest === undefined) return { is: 'stuck', reason: SENDER_UNKNOWN, gaveUp: false }
  const refundTo = ({ address, amount }: (typeof shares)[number]): Leg => ({
    role: 'refund',
    destination: address,
    amount,
    feeBps: null,
  })
  if (asset !== SOL) return { is: 'ready', legs: shares.map(refundTo) }
  // Of SOL nothing may be left behind: an account between nothing and the rent minimum fails the transaction.
  if (totalOf(shares) < totalOf(owed)) return { is: 'stuck', reason: SENDER_UNKNOWN, gaveUp: false }
  if (largest.amount <= terms.networkFee) return { is: 'stuck', reason: TOO_SMALL, gaveUp: false }
  const fee: Leg = { role: 'network_fee', destination: terms.feePayer, amount: terms.networkFee, feeBps: null }
  const first = { ...largest, amount: subtract(largest.amount, terms.networkFee) }
  return { is: 'ready', legs: [first, ...shares.slice(1)].map(refundTo).concat(fee.amount > 0n ? fee : []) }
}
