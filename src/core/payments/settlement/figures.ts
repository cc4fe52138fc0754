// The figures of a settlement. Those of several sweeps are added up. Once a settlement exists, the money of a rent reserve, which
// the business has yet to get, is in the received amount and in the pending amount, and is no late payment.
import { type Asset, type Signature, SOL } from '#core/chain/types.ts'
import { add, type BaseUnits, capAtU64, makeBasisPoints, mulBpsFloor, subtract, ZERO } from '#core/money/amounts.ts'
import type { IntentChange, IntentFacts } from '#core/payments/change.ts'
import type { Settlement, SettlementLeg } from '#core/payments/intent-values.ts'
import type { Deposit, PaymentIntent } from '#core/payments/payment-intent.ts'
import { isOpen, type Position, type PositionTransfer } from '#core/payments/position/position.ts'
import { isOpenRentReserve, keptBy } from '#core/payments/position/rent-reserve.ts'
import { totalOf } from '#core/payments/position/shares.ts'
import { NEWEST, partsOfAsset } from '#core/payments/returns/asset-books.ts'
import { CUTS, isMainSweep, isRentReserve, type PaymentTransfer } from '#core/payments/transfers.ts'
import type { Token } from '#core/tokens/token.ts'

/** Returns the figures of a settlement, from the amounts that moved, not from those that were planned. Spec: "Settlement object". */
export function settlementOf(
  transfer: PaymentTransfer,
  movedAmounts: readonly BaseUnits[],
  signature: Signature,
  token: Pick<Token, 'ticker'>,
): Settlement {
  const mint = transfer.asset === SOL ? null : transfer.asset
  const common = { mint, asset: token.ticker, decimals: transfer.decimals, signature }
  const legs = transfer.legs.map(
    (leg, position): SettlementLeg => ({
      ...common,
      role: leg.role,
      destination: leg.destination,
      feeBps: leg.feeBps,
      amount: movedAmounts[position] ?? ZERO,
    }),
  )
  const sent = add(...transfer.legs.map(({ amount }) => amount))
  const withheld = subtract(sent, add(...legs.map(({ amount }) => amount)))
  const amountOf = (...roles: SettlementLeg['role'][]): BaseUnits =>
    add(...legs.filter(({ role }) => roles.includes(role)).map(({ amount }) => amount))
  // The fee that a transfer-fee mint withholds is shown as a leg, so that the legs add up to the amount received.
  const mintFee: SettlementLeg[] =
    withheld > 0n && mint !== null
      ? [{ ...common, role: 'network_fee', destination: mint, feeBps: null, amount: withheld }]
      : []
  return {
    asset: token.ticker,
    decimals: transfer.decimals,
    destinationAmount: amountOf('merchant', 'seller'),
    platformFeeAmount: amountOf('platform'),
    pendingAmount: ZERO,
    signatures: [signature],
    legs: [...legs, ...mintFee],
  }
}

type IsTaken = (transfer: PositionTransfer) => boolean

const isOpenMainSweep: IsTaken = (transfer) => isMainSweep(transfer) && isOpen(transfer)

/** Returns the late payments of which such a transfer takes a part, counted as received for the price. */
export function takenForBusiness(position: Position, asset: Asset, isTaken: IsTaken): readonly Deposit[] {
  const partsOf = partsOfAsset(asset, position)
  return position
    .of(asset)
    .deposits.filter(({ use }) => use === 'late')
    .filter((deposit) => partsOf(deposit).parts.some(({ transfer }) => isTaken(transfer)))
    .map((deposit) => ({ ...deposit, use: 'applied' }))
}

/** Returns the sum of the payments that count as received for the price. */
export const receivedFor = ({ deposits }: Position): BaseUnits =>
  totalOf(deposits.filter(({ use }) => use === 'applied'))

/**
 * Brings the figures of a settlement up to date with the rent reserves, with an event when they change: a reserve can take money
 * along that arrived after the settlement. While a main sweep is open, the figures wait for its end.
 */
export function withReservesInFigures(position: Position): Position {
  const { intent, transfers } = position
  const { settlement } = intent
  if (settlement === null || transfers.some(isOpenMainSweep)) return position
  const taken = transfers.some(isOpenRentReserve) ? takenForBusiness(position, SOL, isOpenRentReserve) : []
  const counted = taken.length === 0 ? position : position.withDeposits(taken)
  const pendingAmount = keptBy(counted.transfers)
  if (taken.length === 0 && pendingAmount === settlement.pendingAmount) return position
  const figures = { received: receivedFor(counted), settlement: { ...settlement, pendingAmount } }
  return counted.step(figures, 'intent.settlement_updated')
}

/**
 * Returns the cuts that a settled sweep has no leg for. The marketplace's rate does not change after the creation of the payment, so a
 * missing leg was waived. The platform's rate can change: its leg was waived when a round since the last settled one had it.
 * `left` is the part of the business that the sweep left at the address.
 */
export function waivedCuts(
  sweep: PaymentTransfer,
  { intent, payee, transfers }: IntentFacts,
  left: BaseUnits,
): NonNullable<IntentChange['waived']> {
  if (payee.marketplace === null || sweep.asset !== SOL || isRentReserve(sweep)) return []
  const settles = add(totalOf(sweep.legs.filter(({ role }) => role !== 'refund')), left)
  const rates = { marketplace: intent.marketplaceFeeBps ?? 0, platform: waivedPlatformBps(sweep, transfers) }
  return CUTS.filter((role) => sweep.legs.every((leg) => leg.role !== role))
    .map((role) => ({ role, amount: mulBpsFloor(settles, makeBasisPoints(rates[role])) }))
    .filter(({ amount }) => amount > 0n)
}

/** Returns the rate of the platform's leg in the newest round that had one since the last settled round; otherwise 0. */
function waivedPlatformBps({ round }: PaymentTransfer, transfers: readonly PaymentTransfer[]): number {
  const before = transfers.filter((one) => isMainSweep(one) && one.round < round)
  const unsettled = before.slice(before.findLastIndex(({ status }) => status === 'done') + 1)
  const legs = unsettled.toReversed().flatMap((one) => one.legs)
  return legs.find(({ role }) => role === 'platform')?.feeBps ?? 0
}

/**
 * Returns the figures of both. The newest transactions keep their legs; the legs of those before are one for each recipient and
 * purpose, with the newest transaction that paid it. So the legs still add up to what was received.
 */
export function mergeSettlements(earlier: Settlement, latest: Settlement): Settlement {
  const signatures = [...earlier.signatures, ...latest.signatures].slice(-NEWEST)
  const newest = new Set(signatures)
  const legs = [...earlier.legs, ...latest.legs]
  const before = Map.groupBy(
    legs.filter(({ signature }) => !newest.has(signature)),
    purposeOf,
  )
  const summed = [...before.values()].flatMap((group) => {
    const last = group.at(-1)
    return last === undefined ? [] : [{ ...last, amount: totalOf(group) }]
  })
  return {
    ...earlier,
    destinationAmount: capAtU64(earlier.destinationAmount + latest.destinationAmount),
    platformFeeAmount: capAtU64(earlier.platformFeeAmount + latest.platformFeeAmount),
    signatures,
    legs: [...summed, ...legs.filter(({ signature }) => newest.has(signature))],
  }
}

const purposeOf = ({ role, destination, mint, feeBps }: SettlementLeg): string =>
  [role, destination, mint, feeBps].join(' ')

// The legs of a settlement in amounts that can be added up, and their worth in US dollars at the rate that the payment was locked
// at. Over any payments, the sums are the figures of the marketplace: docs/contract.md, "Stats".

/** `microcents`: millionths of a US cent. 0 for a refund, which is no volume. */
export type SettledLeg = SettlementLeg & { readonly microcents: bigint }

const MICROCENTS_IN_CENT = 1_000_000n

/**
 * Returns the legs of a payment, in their order. Each is rounded so that those of a payment add up to the rounded worth of them all,
 * and those of the marketplace to that of its fee: nothing is lost between the rows.
 */
export function settledLegsOf({
  settlement,
  selection,
  priceUsdCents,
}: Pick<PaymentIntent, 'settlement' | 'selection' | 'priceUsdCents'>): readonly SettledLeg[] {
  const legs = settlement?.legs ?? []
  const worth = (amount: bigint): bigint =>
    selection === null || selection.expected === 0n
      ? 0n
      : (amount * priceUsdCents * MICROCENTS_IN_CENT) / selection.expected
  const worths = new Map<SettlementLeg, bigint>()
  let before = 0n
  for (const leg of [...legs.filter(isFee), ...legs.filter((leg) => !isFee(leg) && leg.role !== 'refund')]) {
    worths.set(leg, worth(before + leg.amount) - worth(before))
    before += leg.amount
  }
  return legs.map((leg) => ({ ...leg, microcents: worths.get(leg) ?? 0n }))
}

const isFee = ({ role }: SettlementLeg): boolean => role === 'marketplace'
