// Who gets what of a payment: the legs of its sweep, frozen when they are planned. CONTRACT: fees, dust, excess.
import type { Address } from '#core/chain/types.ts'
import { SOL } from '#core/chain/types.ts'
import type { Payee } from '#core/intents/change.ts'
import type { PaymentIntent, Selection } from '#core/intents/intent.ts'
import { allocateRefund, type Share, totalOf } from '#core/intents/shares.ts'
import {
  add,
  type BaseUnits,
  type BasisPoints,
  type Lamports,
  makeBasisPoints,
  mulBpsFloor,
  subtract,
  subtractToZero,
  ZERO,
} from '#core/money/amounts.ts'
import type { Leg, LegRole } from '#core/transfers/plan.ts'

/** The platform's own terms, from its configuration. */
export type FeeTerms = {
  /** Taken only on payments for a seller. */
  readonly platformFeeBps: BasisPoints
  readonly platformWallet: Address | null
  /** What a SOL transfer repays to the fee payer. */
  readonly networkFee: Lamports
  readonly feePayer: Address
}

export type SettlementPlan = { readonly legs: readonly Leg[] } | { readonly refused: string }

/**
 * The legs of a sweep of everything that is `available` of the selected asset, by who sent it. For SOL they add up to the
 * whole balance, so that the deposit address ends at exactly zero.
 */
export function planSettlement(
  intent: PaymentIntent,
  payee: Payee,
  available: readonly Share[],
  terms: FeeTerms,
): SettlementPlan {
  const { selection } = intent
  if (selection === null) return { refused: 'Nothing was selected.' }
  if (payee.sweepDestination === null) return { refused: 'The business has no sweep destination.' }

  // Once something was swept, whatever is asked to be swept after it is no excess of the price any more.
  const refunds = intent.settlement === null ? planExcess(available, selection, terms) : []
  const settles = subtract(totalOf(available), totalOf(refunds))
  const cuts = selection.asset === SOL ? planCuts(settles, intent, payee, terms) : []
  const networkFee = selection.asset === SOL ? terms.networkFee : ZERO
  const taken = add(networkFee, ...cuts.map((leg) => leg.amount))
  if (settles <= taken) return { refused: 'The payment does not cover the network fee.' }

  const legs: Leg[] = [
    leg(payee.marketplace === null ? 'merchant' : 'seller', payee.sweepDestination, subtract(settles, taken)),
    ...cuts,
    ...refunds,
    leg('network_fee', terms.feePayer, networkFee),
  ]
  return { legs: legs.filter(({ amount }) => amount > 0n) }
}

const leg = (role: LegRole, destination: Address, amount: BaseUnits, feeBps: BasisPoints | null = null): Leg => ({
  role,
  destination,
  amount,
  feeBps,
})

/** The marketplace's and the platform's cuts of what settles, each rounded down: the seller has the remainder. */
function planCuts(settles: BaseUnits, intent: PaymentIntent, payee: Payee, terms: FeeTerms): Leg[] {
  if (payee.marketplace === null) return []
  const cuts: Leg[] = []
  const { feeDestination } = payee.marketplace
  const rate = intent.marketplaceFeeBps ?? makeBasisPoints(0)
  if (feeDestination !== null) cuts.push(leg('marketplace', feeDestination, mulBpsFloor(settles, rate), rate))
  if (terms.platformWallet !== null) {
    cuts.push(leg('platform', terms.platformWallet, mulBpsFloor(settles, terms.platformFeeBps), terms.platformFeeBps))
  }
  return cuts
}

/**
 * What was paid too much goes back whole, newest payment first, to each sender at most what it sent. An excess too
 * small to be worth its network fee, or whose sender is unknown, stays in what settles and is reported there.
 */
function planExcess(available: readonly Share[], { asset, expected }: Selection, terms: FeeTerms): Leg[] {
  const excess = subtractToZero(totalOf(available), expected)
  if (excess === 0n || (asset === SOL && excess <= terms.networkFee)) return []
  return allocateRefund(excess, available).map(({ address, amount }) => leg('refund', address, amount))
}
