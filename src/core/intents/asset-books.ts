// What became of each deposit of an asset, and how much of it went back by which transaction: what the lists of an intent
// are told from.
import { type Asset, SOL } from '#core/chain/types.ts'
import type { IntentChange, IntentFacts } from '#core/intents/change.ts'
import { type Claim, claimsAfter, depositKey, depositsAfter, takesApart } from '#core/intents/claims.ts'
import { isDust } from '#core/intents/dust.ts'
import type { Deposit, LatePayment, Refund } from '#core/intents/intent.ts'
import { isLeftBehind } from '#core/intents/left-behind.ts'
import { NEWEST_SIGNATURES } from '#core/intents/newest.ts'
import { type Share, sharesLeft, sharesOf, totalOf } from '#core/intents/shares.ts'
import { type Standing, standingOf } from '#core/intents/standing.ts'
import type { Surroundings } from '#core/intents/surroundings.ts'
import { type BaseUnits, subtractToZero } from '#core/money/amounts.ts'
import type { Leg, LegRole } from '#core/transfers/plan.ts'

export type AssetBook = {
  /** Where the return stands. A payment that is too small to return does not change it before it is final. */
  readonly standing: Standing
  /** Returns where a late payment stands; null for one that went to the business. */
  lateStatus(deposit: Deposit): LatePayment['status'] | null
  /** Returns what goes back, or went back, of the deposits; null when nothing does. */
  refundOf(deposits: readonly Deposit[]): Refund | null
}

/** Returns the book of each asset of an intent, as it stands once the change is applied. */
export function booksOf(change: IntentChange, facts: IntentFacts, around: Surroundings): (asset: Asset) => AssetBook {
  const books = new Map<Asset, AssetBook>()
  return (asset) => {
    const book = books.get(asset) ?? bookOf(asset, change, facts, around)
    books.set(asset, book)
    return book
  }
}

function bookOf(asset: Asset, change: IntentChange, facts: IntentFacts, around: Surroundings): AssetBook {
  const shares = sharesOf(depositsAfter(change, facts).filter((one) => one.asset === asset && one.use !== 'held'))
  const claims = claimsAfter(change, facts).filter(
    (claim) => claim.asset === asset && claim.status !== 'failed' && !takesApart(claim),
  )
  const standing = standingWithoutDust(asset, change, facts, around)
  return {
    standing,
    lateStatus: lateStatusOf(shares, claims, standing),
    refundOf: refundsBy(shares, claims),
  }
}

export function standingWithoutDust(
  asset: Asset,
  change: IntentChange,
  facts: IntentFacts,
  around: Surroundings,
): Standing {
  const counts = (deposit: Deposit): boolean => deposit.state !== 'confirmed' || !isDust(deposit, around)
  return standingOf(
    { ...change, deposits: change.deposits.filter(counts) },
    { ...facts, deposits: facts.deposits.filter(counts) },
    asset,
    around,
  )
}

function lateStatusOf(shares: readonly Share[], claims: readonly Claim[], standing: Standing): AssetBook['lateStatus'] {
  const done = claims.filter(({ status }) => status === 'done')
  const kept = leftOf(shares, done)
  const keptByRefunds = leftOf(
    shares,
    // All legs of a transfer that only returns: its network fee is a part of what it takes.
    done.map((claim) => (claim.kind === 'sweep' ? { ...claim, legs: claim.legs.filter(isReturn) } : claim)),
  )
  const unclaimed = leftOf(shares, claims)
  const stuck = standing.is === 'stuck' ? (standing.gaveUp ? 'failed' : 'held') : null
  const isHeld = claims.some((claim) => claim.status === 'held' && !isLeftBehind(claim))
  const onItsWay = isHeld ? 'held' : 'settling'
  return (deposit) => {
    if (kept(deposit) > 0n) return stuck ?? (unclaimed(deposit) > 0n ? 'pending' : onItsWay)
    return keptByRefunds(deposit) === deposit.amount ? null : 'refunded'
  }
}

/** What claims leave of each deposit. */
function leftOf(shares: readonly Share[], claims: readonly Claim[]): (deposit: Deposit) => BaseUnits {
  let left = shares
  for (const claim of claims) left = leftBy(left, claim)
  return byDeposit(left)
}

/** No claim takes what was not final, or what came after it was planned. */
const isThereFor =
  ({ createdAt }: Claim) =>
  ({ deposit }: Share): boolean =>
    deposit.state === 'final' && deposit.seenAt <= createdAt

function leftBy(shares: readonly Share[], claim: Claim): readonly Share[] {
  const isThere = isThereFor(claim)
  return [...sharesLeft(shares.filter(isThere), [claim]), ...shares.filter((share) => !isThere(share))]
}

function byDeposit(shares: readonly Share[]): (deposit: Deposit) => BaseUnits {
  const parts = Map.groupBy(shares, ({ deposit }) => deposit)
  return (deposit) => totalOf(parts.get(deposit) ?? [])
}

const RETURNS: ReadonlySet<LegRole> = new Set(['refund', 'release'])
const isReturn = ({ role }: Leg): boolean => RETURNS.has(role)

/** The part of a claim that goes back: as it arrived once it is final, as it is planned before. */
const returnLegs = ({ legs, moved, status }: Claim): readonly Leg[] =>
  legs.flatMap((leg, at) => (isReturn(leg) ? [{ ...leg, amount: (status === 'done' && moved[at]) || leg.amount }] : []))

type Part = { readonly claim: Claim; readonly amount: BaseUnits }

function refundsBy(shares: readonly Share[], claims: readonly Claim[]): AssetBook['refundOf'] {
  const parts = new Map<string, Part[]>()
  let left = shares
  for (const claim of claims) {
    const legs = returnLegs(claim)
    if (legs.length > 0) {
      const there = left.filter(isThereFor(claim))
      const [before, after] = [byDeposit(there), byDeposit(sharesLeft(there, [{ kind: claim.kind, legs }]))]
      for (const deposit of new Set(there.map((share) => share.deposit))) {
        const amount = subtractToZero(before(deposit), after(deposit))
        const key = depositKey(deposit)
        if (amount > 0n) parts.set(key, [...(parts.get(key) ?? []), { claim, amount }])
      }
    }
    left = leftBy(left, claim)
  }
  return (deposits) => refundFrom(deposits.flatMap((deposit) => parts.get(depositKey(deposit)) ?? []))
}

function refundFrom(parts: readonly Part[]): Refund | null {
  if (parts.length === 0) return null
  const claims = [...new Set(parts.map(({ claim }) => claim))]
  const signatures = claims.flatMap(({ signature }) => signature ?? [])
  return { amount: totalOf(parts), signatures: signatures.slice(-NEWEST_SIGNATURES) }
}

/** null for SOL. */
export const mintOf = (asset: Asset): string | null => (asset === SOL ? null : asset)
