// Checks the amounts of a payment when everything has ended. They must be exact, because nothing is under way that the
// service may not know.
import type { Asset } from '#core/chain/types.ts'
import { checkAudit } from './audit.ts'
import type { Books, IntentBook } from './books.ts'
import { finalBalance, placesOf } from './conservation.ts'
import type { Ending } from './ending.ts'
import { type Check, checkerOf, type Figures, sum, type Terms } from './figures.ts'
import { checkReasonsOfHeld } from './held-reasons.ts'
import type { Ordered } from './monitor.ts'
import { checkOutcome } from './outcomes.ts'
import { checkRecords } from './records.ts'
import type { Reported, ReportedRefund } from './reported.ts'
import { checkReported, SHOWN } from './reported-figures.ts'
import { checkStats, type Sale } from './stats.ts'

/** `isWhole`: the books have every payment, so their sums are those of the service. */
export async function checkFinalFigures(ending: Ending, books: Books, isWhole: boolean): Promise<void> {
  const { monitor, findings } = ending
  const sales: Sale[] = []
  for (const intent of books.intents) {
    const reported = await monitor.answer(intent.callerAccountId, intent.index)
    const terms = monitor.reportedEvents.terms.get(reported.id)
    findings.check(
      'the terms of a payment do not change',
      terms !== undefined,
      () => `${reported.id} was never created`,
    )
    if (terms === undefined) continue
    checkReported(monitor.figures, reported, terms, 'in the end')
    const check = checkerOf({ findings }, reported, 'in the end')
    monitor.reportedEvents.checkAnswer(reported, check)
    checkOrder(monitor.orders.get(intent.index), reported, check)
    checkRecords(monitor.figures, reported, await monitor.records(intent.callerAccountId, intent.index), check)
    checkReasonsOfHeld(ending, reported, check)
    checkOutcome(ending, reported, terms, check)
    checkEveryDeposit(monitor.figures, ending, reported, intent, check)
    for (const { asset } of placesOf(ending.stage, intent))
      checkReturned(monitor.figures, reported, terms, asset, check)
    checkWhatIsLeft(ending, reported, intent, check)
    checkWholeSettlement(monitor.figures, reported, terms, check)
    sales.push({ accountId: terms.accountId, reported })
  }
  if (isWhole) await checkStats(ending, sales)
  if (isWhole) await checkAudit(ending, sales)
  checkMoved(ending, books)
}

/** The business asked for these terms. A create whose answer was lost is no order that is known. */
function checkOrder(order: Ordered | undefined, reported: Reported, check: Check): void {
  if (order === undefined) return
  const { feeBps, priceUsdCents, reference, email } = order
  check(
    'a payment has the ordered terms',
    reported.feeBps === feeBps &&
      reported.priceUsdCents === priceUsdCents &&
      reported.reference === reference &&
      reported.email === email,
    () =>
      `${reported.priceUsdCents} cents and ${reported.feeBps} bps of ${reported.reference}, and ${priceUsdCents} and ${feeBps} were ordered`,
  )
}

/** Each final deposit is in `received`, in a list, or, where it went to the business, in the settlement. */
function checkEveryDeposit(
  { evidence }: Figures,
  { stage }: Ending,
  reported: Reported,
  intent: IntentBook,
  check: Check,
): void {
  const places = placesOf(stage, intent)
  const rule = 'every deposit is shown'
  for (const { asset, account } of places) {
    const final = evidence.inflows(reported.address, asset).filter((one) => one.account === account)
    const came = sum(final.filter(({ signature }) => evidence.isFinal(signature)).map(({ amount }) => amount))
    const rest = came - (reported.lateTotals.amounts.get(asset) ?? 0n)
    if (asset !== reported.asset) {
      const listed = reported.tokenRefunds.find((one) => one.asset === asset)?.amount ?? 0n
      check(rule, listed === rest, () => `${listed} of ${rest} ${asset} is in a list`)
      continue
    }
    const settled = sum((reported.settlement?.legs ?? []).map(({ amount }) => amount))
    const alsoSettled = rest - reported.received
    const bySettlement = new Set(reported.settlement?.signatures)
    const others = evidence.outflows(reported.address, asset).filter(({ signature }) => !bySettlement.has(signature))
    const kept = larger(reported.received - sum(others.map(({ left }) => left)), 0n)
    check(
      rule,
      alsoSettled === 0n || (alsoSettled > 0n && alsoSettled + smaller(kept, reported.expected ?? 0n) <= settled),
      () => `${reported.received} received, ${settled} settled, and ${rest} ${asset} is not late`,
    )
  }
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const larger = (a: bigint, b: bigint): bigint => (a < b ? b : a)

/** The money at the address is shown as held, to the unit, unless it belongs to the business and waits for it. */
function checkWhatIsLeft({ ground, stage }: Ending, reported: Reported, intent: IntentBook, check: Check): void {
  for (const place of placesOf(stage, intent)) {
    const { asset } = place
    const left = finalBalance(ground, place)
    const held = reported.heldTotals.amounts.get(asset) ?? 0n
    const pending = asset === reported.asset ? (reported.settlement?.pendingAmount ?? 0n) : 0n
    check('a settlement agrees with the chain', pending <= left, () => `${pending} pending, and ${left} is there`)
    const waits = asset === reported.asset && reported.status === 'settle_failed'
    check('held money is at its address', waits || held === left, () => `${held} ${asset} shown, and ${left} is there`)
    const refund = reported.tokenRefunds.find((one) => one.asset === asset)
    check(
      'token refunds agree with the chain',
      refund === undefined || refund.status !== 'refunded' || left === 0n,
      () => `${asset} shown as refunded, and ${left} is there`,
    )
  }
}

/** The statuses in which `refunds` shows all money that went back of the price, in time or late. */
const SHOWS_REFUNDS: ReadonlySet<string> = new Set(['refunding', 'refunded', 'refund_failed'])

/** The shown refunds of an asset add up to the amount that wallets got back by the chain. */
function checkReturned(
  { evidence, partiesOf, stage }: Figures,
  reported: Reported,
  { accountId }: Terms,
  asset: Asset,
  check: Check,
): void {
  const rule = 'a refund agrees with the chain'
  const { business, marketplace, platform } = partiesOf(accountId)
  const payees = new Set([...business, ...marketplace, ...platform, stage.feePayer])
  const arrived = evidence.outflows(reported.address, asset).flatMap((one) => [...one.arrived])
  const back = sum(arrived.flatMap(([wallet, amount]) => (payees.has(wallet) ? [] : [amount])))
  const legs = asset === reported.asset ? (reported.settlement?.legs ?? []) : []
  const bySettlement = sum(legs.filter(({ role }) => role === 'refund').map(({ amount }) => amount))
  const of = (refunds: readonly ReportedRefund[]): bigint =>
    sum(refunds.filter((one) => one.asset === asset).map(({ amount }) => amount))
  const ofLate = of(reported.latePayments.flatMap(({ refund }) => refund ?? []))
  const ofPrice = of(reported.refunds) + (SHOWS_REFUNDS.has(reported.status) ? 0n : ofLate)
  check(rule, ofLate <= ofPrice, () => `${ofLate} ${asset} of late payments, and ${ofPrice} in all`)
  const shown = of(reported.tokenRefunds.flatMap(({ refund }) => refund ?? [])) + ofPrice
  const more = back - bySettlement - shown
  const isCut = reported.latePayments.length === SHOWN || reported.tokenRefunds.length === SHOWN
  check(rule, more === 0n || (more > 0n && isCut), () => `${shown} ${asset} shown, and ${back} went back`)
}

/** A settlement contains everything that the business received. */
function checkWholeSettlement(
  { evidence, partiesOf }: Figures,
  { address, asset, settlement }: Reported,
  { accountId }: Terms,
  check: Check,
): void {
  if (asset === null) return
  const got = evidence.arrivedAt(address, asset, partiesOf(accountId).business)
  const reported = settlement?.destinationAmount ?? 0n
  check('a settlement agrees with the chain', reported === got, () => `${reported} ${asset} shown, and ${got} arrived`)
}

/** `moved_amount` of each leg is the amount that arrived by its transaction. */
function checkMoved({ monitor, findings }: Ending, { transfers }: Books): void {
  for (const { key, asset, source, signature, status, legs } of transfers) {
    const rule = 'a leg’s moved amount is the amount that arrived'
    if (status !== 'done' || signature === null) {
      findings.check(
        rule,
        legs.every(({ moved }) => moved === null),
        () => `${key} is ${status}`,
      )
      continue
    }
    const outflow = monitor.figures.evidence.outflow(source, asset, signature)
    for (const [wallet, own] of Map.groupBy(legs, ({ destination }) => destination)) {
      const reported = sum(own.map(({ moved }) => moved ?? 0n))
      const real = outflow?.arrived.get(wallet) ?? 0n
      findings.check(rule, reported === real, () => `${key}: ${reported} to ${wallet}, where ${real} arrived`)
    }
  }
}
