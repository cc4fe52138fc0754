// The legs of the sweep of a payment, frozen when they are planned. docs/contract.md, "Settlement".

import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import {
  add,
  type BaseUnits,
  type BasisPoints,
  capAtU64,
  divCeil,
  type Lamports,
  MAX_U64,
  makeBasisPoints,
  makeLamports,
  mulBpsFloor,
  subtract,
  subtractToZero,
  ZERO,
} from '#core/money/amounts.ts'
import type { Payee } from '#core/payments/change.ts'
import type { DecisionContext, FeeTerms } from '#core/payments/decision-context.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { type DepositShare, totalOf } from '#core/payments/position/shares.ts'
import { isTooSmall } from '#core/payments/returns/dust.ts'
import { allocateRefund, dustOf, type Recipient } from '#core/payments/returns/recipients.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import { type LegRole, makeLeg, type PaymentLeg, withoutEmpty } from '#core/payments/transfers.ts'
import { highestFeeOf, SOL_LEG_UNITS } from '#core/transfers/plan.ts'

/** The whole, in basis points. */
const ALL_BPS = 10_000

/** The legs of the largest transaction of SOL: the business, two cuts, the network fee, and an excess that goes back. */
const MOST_SOL_LEGS = 5

/** Returns the most that a settlement or a refund in SOL costs the fee payer, in lamports. */
export const highestSolFee = (computeUnitPrice: bigint): Lamports =>
  makeLamports(highestFeeOf(MOST_SOL_LEGS, computeUnitPrice, SOL_LEG_UNITS))

/** What earlier rounds of a sweep left to the next one. */
export type EarlierRounds = {
  /** The cuts that go to the seller. */
  readonly waived?: readonly LegRole[]
  /** The part of the price that was paid and that no other sweep takes, in base units; without it, the whole price. */
  readonly due?: BaseUnits
  /** Whether an excess goes back with the sweep. */
  readonly returnsExcess?: boolean
  /** Whether SOL that is too little to stay settles, although it is worth a refund. */
  readonly takesRest?: boolean
}

export type SettlementPlan = { readonly legs: readonly PaymentLeg[] } | { readonly refused: string }

/**
 * Returns the legs of a sweep of the `available` shares of the selected asset: all of them, without an excess whose sender
 * is unknown, or which goes back later. The amount of a `waived` cut goes to the seller.
 */
export function planSettlement(
  intent: PaymentIntent,
  payee: Payee,
  available: readonly DepositShare[],
  context: Omit<DecisionContext, 'now'>,
  { waived = [], due = intent.selection?.expected, returnsExcess = true, takesRest = false }: EarlierRounds = {},
): SettlementPlan {
  const { selection } = intent
  const { terms } = context
  if (selection === null || due === undefined) return { refused: 'Nothing was selected.' }
  if (payee.sweepDestination === null) return { refused: 'The business has no sweep destination.' }

  const rounds = { returnsExcess, takesRest }
  const { refunds, stays } = divideExcess(intent, selection.asset, due, available, context, rounds)
  const settles = subtract(totalOf(available), add(stays, totalOf(refunds)))
  const allCuts = selection.asset === SOL ? planCuts(settles, intent, payee, terms) : []
  const cuts = allCuts.filter(({ role }) => !waived.includes(role))
  const networkFee = selection.asset === SOL ? terms.networkFee : ZERO
  const taken = add(networkFee, ...cuts.map((leg) => leg.amount))
  if (settles <= taken) return { refused: 'The payment does not cover its fees.' }

  const legs = [
    makeLeg(payee.marketplace === null ? 'merchant' : 'seller', payee.sweepDestination, subtract(settles, taken)),
    ...cuts,
    ...refunds.map(({ address, amount }) => makeLeg('refund', address, amount)),
    makeLeg('network_fee', terms.feePayer, networkFee),
  ]
  return { legs: withoutEmpty(legs) }
}

/** Returns the marketplace's and the platform's cuts of what settles, each rounded down: the seller has the remainder. */
function planCuts(settles: BaseUnits, intent: PaymentIntent, payee: Payee, terms: FeeTerms): PaymentLeg[] {
  if (payee.marketplace === null) return []
  const rates = cutRates(intent.marketplaceFeeBps ?? makeBasisPoints(0), terms)
  const cut = (role: LegRole, destination: Address | null, rate: BasisPoints): PaymentLeg[] =>
    destination === null ? [] : [makeLeg(role, destination, mulBpsFloor(settles, rate), rate)]
  return [
    ...cut('marketplace', payee.marketplace.feeDestination, rates.marketplace),
    ...cut('platform', terms.platformWallet, rates.platform),
  ]
}

/**
 * Returns the rates of the cuts. The rate of the marketplace was frozen when the limits of fees were perhaps others. Where it
 * and the platform's rate leave nothing, the platform takes no fee.
 */
function cutRates(marketplace: BasisPoints, { platformFeeBps, platformWallet }: CutTerms) {
  const isTaken = platformWallet !== null && marketplace + platformFeeBps < ALL_BPS
  return { marketplace, platform: isTaken ? platformFeeBps : makeBasisPoints(0) }
}

type CutTerms = Pick<FeeTerms, 'platformFeeBps' | 'platformWallet'>

/**
 * Returns the least amount of SOL that settles to any wallet: after the cuts and the network fee, the business gets the rent
 * minimum, which an empty wallet needs. `marketplaceFeeBps` is null for a payment without a seller.
 */
export function leastSettlement(
  marketplaceFeeBps: BasisPoints | null,
  terms: CutTerms & Pick<FeeTerms, 'networkFee'>,
  rentMinimum: Lamports,
): BaseUnits {
  const rates = marketplaceFeeBps === null ? [] : Object.values(cutRates(marketplaceFeeBps, terms))
  const kept = BigInt(rates.reduce((rest, rate) => rest - rate, ALL_BPS))
  // Where the cuts take everything, no amount is enough.
  return capAtU64(kept > 0n ? divCeil((rentMinimum + terms.networkFee) * BigInt(ALL_BPS), kept) : MAX_U64)
}

/**
 * Divides an excess. The largest of its senders gets the newest part back with the sweep, at most the amount that it sent; the parts
 * of others stay, and go back later. A part without a known sender stays. A part that is worth less than returning it costs settles,
 * and so does SOL that is too little to stay and is worth no refund, or for which the price is too small to leave the rent minimum;
 * the settlement reports it.
 */
function divideExcess(
  intent: PaymentIntent,
  asset: Asset,
  due: BaseUnits,
  available: readonly DepositShare[],
  context: Omit<DecisionContext, 'now'>,
  { returnsExcess, takesRest }: Required<Pick<EarlierRounds, 'returnsExcess' | 'takesRest'>>,
): { readonly refunds: readonly Recipient[]; readonly stays: BaseUnits } {
  const { terms, custodians, rentMinimum } = context
  const excess = subtractToZero(totalOf(available), due)
  // After the end of the intent, money that is to be swept is no longer an excess of the price.
  const isOver = STATUS_POLICY[intent.status].owesBack
  if (isOver || excess === 0n || (asset === SOL && excess <= terms.networkFee)) return { refunds: [], stays: ZERO }
  const senders = allocateRefund(excess, available, custodians)
  const refunds = returnsExcess ? senders.slice(0, 1) : []
  const left = subtract(excess, totalOf(refunds))
  if (asset === SOL) {
    const canWait = senders.slice(refunds.length).some(({ amount }) => !isTooSmall({ asset, amount }, context))
    return { refunds, stays: left < rentMinimum && (takesRest || !canWait) ? ZERO : left }
  }
  const stays = subtractToZero(left, dustOf(excess, available, custodians))
  return { refunds, stays: isTooSmall({ asset, amount: stays }, context) ? ZERO : stays }
}
