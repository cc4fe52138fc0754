// A settlement as it is told: each of its legs arrived, by the transaction that it names, and none is missing.
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import type { Outflow } from './evidence.ts'
import { type Check, type Figures, payersOf, sum, type Terms } from './figures.ts'
import type { Told, ToldLeg, ToldSettlement } from './told.ts'

const RULE = 'a settlement is what the chain did'
const ALL_BPS = 10_000n
/** SOL that may be left behind, and on which the cuts were reckoned as well. */
const RENT_RESERVE = 2_000_000n

const totalOf = (legs: readonly ToldLeg[]): bigint => sum(legs.map(({ amount }) => amount))
const ofRole = (legs: readonly ToldLeg[], ...roles: readonly string[]): readonly ToldLeg[] =>
  legs.filter(({ role }) => roles.includes(role))

export function checkSettlement(
  figures: Figures,
  told: Told,
  settlement: ToldSettlement,
  terms: Terms,
  check: Check,
): void {
  const { legs, signatures, destinationAmount, platformFeeAmount } = settlement
  const { asset } = told
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
    const outflow = figures.evidence.outflow(told.address, asset, signature)
    check(RULE, outflow !== null, () => `${signature} is no final transaction from here`)
    if (outflow !== null) checkLegs(figures, told, asset, own, outflow, check)
  }
  const toBusiness = totalOf(ofRole(legs, 'merchant', 'seller'))
  check(RULE, destinationAmount === toBusiness, () => `destination ${destinationAmount}, and legs of ${toBusiness}`)
  const toPlatform = totalOf(ofRole(legs, 'platform'))
  check(RULE, platformFeeAmount === toPlatform, () => `platform fee ${platformFeeAmount}, and legs of ${toPlatform}`)
  checkParties(figures, told, legs, terms, check)
  checkCuts(figures, told, settlement, check)
}

/** The legs of one transaction are all that it did. */
function checkLegs(
  { stage }: Figures,
  { decimals }: Told,
  asset: Asset,
  legs: readonly ToldLeg[],
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

/** Each role names the wallet that it is for. */
function checkParties(figures: Figures, told: Told, legs: readonly ToldLeg[], terms: Terms, check: Check): void {
  const { business, marketplace, platform } = figures.partiesOf(terms.accountId)
  const of: Readonly<Record<string, ReadonlySet<Address>>> = {
    merchant: business,
    seller: business,
    marketplace,
    platform,
    refund: payersOf(figures, told.address),
    network_fee: new Set([figures.stage.feePayer, ...(told.asset === null || told.asset === SOL ? [] : [told.asset])]),
  }
  for (const { role, destination } of legs) {
    check(RULE, of[role]?.has(destination) === true, () => `${role} ${destination}`)
  }
}

/** Both cuts are taken of what settles, rounded down, at the rates of the time when the intent was made. */
function checkCuts({ stage }: Figures, told: Told, settlement: ToldSettlement, check: Check): void {
  const { legs, pendingAmount, signatures } = settlement
  const settles = totalOf(legs.filter(({ role }) => role !== 'refund'))
  const slack = pendingAmount + (told.asset === SOL ? RENT_RESERVE : 0n)
  const rates = { marketplace: told.feeBps ?? 0, platform: stage.terms.platformFeeBps }
  for (const [role, bps] of Object.entries(rates)) {
    const cut = ofRole(legs, role)
    const most = ((settles + slack) * BigInt(bps)) / ALL_BPS
    check(RULE, totalOf(cut) <= most, () => `${role} ${totalOf(cut)} of ${settles} at ${bps} bps`)
    // A cut that its wallet cannot take is waived.
    const least = (settles * BigInt(bps)) / ALL_BPS
    const isWhole = cut.length === signatures.length && signatures.length === 1
    check(RULE, !isWhole || totalOf(cut) >= least, () => `${role} ${totalOf(cut)} of ${settles} at ${bps} bps`)
    check(
      RULE,
      cut.every(({ feeBps }) => feeBps === bps),
      () => `${role} at ${cut.map(({ feeBps }) => feeBps)} bps`,
    )
  }
}
