// Checks a shown settlement: each of its legs arrived by the transaction that it names, and no leg is missing.
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { RENT_MINIMUMS } from '../prices.ts'
import type { Outflow } from './evidence.ts'
import { type Check, type Figures, payersOf, shareOf, sum, type Terms } from './figures.ts'
import type { Reported, ReportedLeg, ReportedSettlement } from './reported.ts'

const RULE = 'a settlement agrees with the chain'
/** SOL that may be left behind. */
const RENT_RESERVE = 2_000_000n

/** The statuses in which everything received is for the business, except for an excess. */
const SETTLES: ReadonlySet<string> = new Set(['settling', 'settle_failed', 'swept'])

const totalOf = (legs: readonly ReportedLeg[]): bigint => sum(legs.map(({ amount }) => amount))
const ofRole = (legs: readonly ReportedLeg[], ...roles: readonly string[]): readonly ReportedLeg[] =>
  legs.filter(({ role }) => roles.includes(role))

export function checkSettlement(
  figures: Figures,
  reported: Reported,
  settlement: ReportedSettlement,
  terms: Terms,
  check: Check,
): void {
  const { legs, signatures, destinationAmount, platformFeeAmount } = settlement
  const { asset } = reported
  check(RULE, asset !== null, () => 'a settlement of nothing')
  if (asset === null) return
  const bySignature = Map.groupBy(legs, ({ signature }) => signature)
  check(
    RULE,
    new Set(signatures).size === signatures.length &&
      signatures.length === bySignature.size &&
      signatures.every((one) => bySignature.has(one)),
    () => `signatures ${signatures.join(', ')}, and of the legs ${[...bySignature.keys()].join(', ')}`,
  )
  for (const [signature, own] of bySignature) {
    const outflow = figures.evidence.outflow(reported.address, asset, signature)
    check(RULE, outflow !== null, () => `${signature} is no final transaction from here`)
    if (outflow !== null) checkLegs(figures, reported, asset, own, outflow, check)
  }
  const toBusiness = totalOf(ofRole(legs, 'merchant', 'seller'))
  check(RULE, destinationAmount === toBusiness, () => `destination ${destinationAmount}, and legs of ${toBusiness}`)
  const toPlatform = totalOf(ofRole(legs, 'platform'))
  check(RULE, platformFeeAmount === toPlatform, () => `platform fee ${platformFeeAmount}, and legs of ${toPlatform}`)
  const { destinationUi, platformFeeUi } = settlement
  const areWhole =
    destinationUi === destinationAmount &&
    platformFeeUi === platformFeeAmount &&
    legs.every(({ amount, amountUi }) => amount === amountUi)
  check(
    RULE,
    areWhole,
    () => `whole units of ${destinationUi} and ${platformFeeUi}, legs of ${legs.map(({ amountUi }) => amountUi)}`,
  )
  const { expected, received, status } = reported
  // The money of a payment that ended otherwise may have gone back in part.
  const isPaid = !['cancelled', 'refunding', 'refunded', 'refund_failed'].includes(status)
  const missing = isPaid && expected !== null && received < expected ? expected - received : null
  check(RULE, settlement.shortfall === missing, () => `shortfall ${settlement.shortfall} of ${received} of ${expected}`)
  checkParties(figures, reported, legs, terms, check)
  checkPending(figures, reported, asset, settlement, check)
  checkCuts(figures, reported, settlement, check)
}

/** The legs of one transaction are its whole effect. */
function checkLegs(
  { stage }: Figures,
  { decimals }: Reported,
  asset: Asset,
  legs: readonly ReportedLeg[],
  outflow: Outflow,
  check: Check,
): void {
  const arrivals = legs.filter(({ destination }) => destination !== asset)
  for (const [wallet, own] of Map.groupBy(arrivals, ({ destination }) => destination)) {
    const real = outflow.arrived.get(wallet) ?? 0n
    check(RULE, totalOf(own) === real, () => `${totalOf(own)} to ${wallet}, where ${real} arrived`)
  }
  check(RULE, totalOf(legs) === outflow.left, () => `legs of ${totalOf(legs)}, and ${outflow.left} left`)
  const areAlike = legs.every((leg) => leg.asset === asset && leg.decimals === decimals && leg.amount > 0n)
  check(RULE, areAlike, () => `legs of ${legs.map((leg) => `${leg.amount} ${leg.asset}`).join(', ')}`)
  const withheld = totalOf(legs.filter(({ destination }) => destination === asset))
  const hasFee = stage.mints.get(asset)?.transferFeeBps != null
  check(RULE, withheld === 0n || hasFee, () => `${withheld} withheld by a mint without a fee`)
}

/**
 * The part of the business that follows later is SOL that the newest transaction left at the address, or that arrived after it:
 * a rent reserve takes dust along. With it, the legs add up to the received amount, unless an excess goes back separately, a refund has reserved its part, or a part of a payment
 * that was too little to stay has left with the refund of another.
 */
function checkPending(
  { evidence }: Figures,
  { address, expected, received, status }: Reported,
  asset: Asset,
  { legs, pendingAmount, signatures }: ReportedSettlement,
  check: Check,
): void {
  const outflows = signatures.flatMap((signature) => evidence.outflow(address, asset, signature) ?? [])
  const newest = outflows.reduce<Outflow | null>((a, b) => (a === null || a.slot < b.slot ? b : a), null)
  const since = evidence.inflows(address, asset).filter(({ slot }) => newest === null || slot >= newest.slot)
  const there = asset === SOL ? (newest?.stays ?? 0n) + sum(since.map(({ amount }) => amount)) : 0n
  check(
    RULE,
    pendingAmount <= there,
    () => `${pendingAmount} pending, and ${there} stayed at the address or came later`,
  )
  const shown = totalOf(legs) + pendingAmount
  const others = evidence.outflows(address, asset).filter(({ signature }) => !signatures.includes(signature))
  const missing = received - shown
  const hasLeft = asset === SOL && missing < RENT_RESERVE && missing <= sum(others.map(({ left }) => left))
  const isPart = (expected !== null && received > expected) || !SETTLES.has(status) || hasLeft
  const isWhole = shown === received || (isPart && shown < received)
  check(RULE, isWhole, () => `legs of ${totalOf(legs)} and ${pendingAmount} pending, of ${received}`)
}

/** Each role goes to its wallet. */
function checkParties(
  figures: Figures,
  reported: Reported,
  legs: readonly ReportedLeg[],
  terms: Terms,
  check: Check,
): void {
  const { business, marketplace, platform } = figures.partiesOf(terms.accountId)
  const of: Readonly<Record<string, ReadonlySet<Address>>> = {
    merchant: business,
    seller: business,
    marketplace,
    platform,
    refund: payersOf(figures, reported.address),
    network_fee: new Set([
      figures.stage.feePayer,
      ...(reported.asset === null || reported.asset === SOL ? [] : [reported.asset]),
    ]),
  }
  for (const { role, destination } of legs) {
    check(RULE, of[role]?.has(destination) === true, () => `${role} ${destination}`)
  }
}

/**
 * Each cut is its share of the amount that its transaction settles, and of the rent reserve that it may have left, at the rates of the
 * creation of the intent. A cut that its wallet cannot take is waived.
 */
function checkCuts({ stage }: Figures, reported: Reported, { legs }: ReportedSettlement, check: Check): void {
  const rates = { marketplace: reported.feeBps ?? 0, platform: stage.terms.platformFeeBps }
  for (const own of Map.groupBy(legs, ({ signature }) => signature).values()) {
    const settles = totalOf(own.filter(({ role }) => role !== 'refund'))
    for (const [role, bps] of Object.entries(rates)) {
      const cut = ofRole(own, role)
      const due = [0n, ...RENT_MINIMUMS].map((left) => shareOf(settles + left, bps))
      check(
        RULE,
        cut.length === 0 || due.includes(totalOf(cut)),
        () => `${role} ${totalOf(cut)} of ${settles} at ${bps} bps`,
      )
      check(
        RULE,
        cut.every(({ feeBps }) => feeBps === bps),
        () => `${role} at ${cut.map(({ feeBps }) => feeBps)} bps`,
      )
    }
  }
}
