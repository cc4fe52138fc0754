// Checks the amounts of a payment when everything has ended. They must be exact, because nothing is under way that the
// service may not know.

import type { Address, Asset } from '#core/chain/types.ts'
import { MAX_ATTEMPTS } from '#services/transfers/steps.ts'
import type { Fault } from '../faults.ts'
import { isTight } from '../stage.ts'
import { checkAudit } from './audit.ts'
import type { Books, IntentBook } from './books.ts'
import { finalBalance, placesOf } from './conservation.ts'
import type { Ending } from './ending.ts'
import type { Inflow } from './evidence.ts'
import { type Check, checkerOf, type Figures, leastOf, sum, type Terms } from './figures.ts'
import type { Ordered } from './monitor.ts'
import { checkRecords } from './records.ts'
import type { Reported, ReportedRefund } from './reported.ts'
import { checkReported, SHOWN } from './reported-figures.ts'
import { lamportsWorth } from './spend.ts'
import { checkStats, type Sale } from './stats.ts'

// Checks that the reason for held money is true, by the chain and by the faults of the world. docs/contract.md, "Held money".

/** Lamports that a payment is worth at most which is too small to return. */
const SMALL = 100_000n

type Held = Pick<Ending, 'ground' | 'stage'> & {
  readonly address: Address
  readonly asset: Asset
  readonly amount: bigint
  /** The final payments of the asset. */
  readonly payments: readonly Inflow[]
}

/** Each reason, by words of it, and what must be true for it. */
const REASONS: readonly (readonly [words: string, isTrue: (held: Held) => boolean])[] = [
  ['sender is not known', ({ payments }) => !payments.every(isClear)],
  ['Several wallets took part', ({ payments }) => !payments.every(isClear)],
  [
    'worth less than returning it costs',
    // The reason is that of the larger part.
    ({ stage, asset, amount, payments }) => lamportsWorth(stage, asset, amount) <= 2n * SMALL * BigInt(payments.length),
  ],
  ['has no account for this token', happened('account closed', 'token dust, account closed')],
  ['is frozen by its issuer', happened('account frozen')],
  ['No price shows', happened('price feed down', 'price stale', 'price spike', 'clock off by a day')],
  ['have cost the fee payer as much as they may', ({ stage }) => isTight(stage.refundBudget)],
  [
    'failed too often',
    ({ ground: { chain }, stage, address }) => {
      const isOurs = (keys: readonly Address[]) => keys[0] === stage.feePayer && keys.includes(address)
      const failed = chain.all().some(({ keys, error }) => error !== null && isOurs(keys))
      return failed || chain.allUnlanded().filter(isOurs).length >= MAX_ATTEMPTS
    },
  ],
  [
    'is on the list of custodians',
    ({ stage, payments }) => payments.some(({ payers }) => payers.some((payer) => stage.custodians.has(payer))),
  ],
  ['is not accepted here', ({ stage, asset }) => !stage.mints.has(asset)],
]

function checkReasonsOfHeld({ ground, stage, monitor }: Ending, reported: Reported, check: Check): void {
  const { evidence } = monitor.figures
  const { address } = reported
  for (const { asset, amount, reason } of reported.held) {
    const payments = evidence.inflows(address, asset).filter(({ signature }) => evidence.isFinal(signature))
    const [, isTrue] = REASONS.find(([words]) => reason.includes(words)) ?? []
    check(
      'the reason for held money is true',
      isTrue === undefined || isTrue({ ground, stage, address, asset, amount, payments }),
      () =>
        `${amount} ${asset}, of ${sum(payments.map((one) => one.amount))} in ${payments.length} payments: ${reason}`,
    )
  }
}

const isClear = ({ signers, payers }: Inflow): boolean => signers === 1 && payers.length === 1

function happened(...faults: readonly Fault[]) {
  return ({ ground }: Held): boolean => faults.some((fault) => ground.faults.counts[fault] > 0)
}

// Checks what became of each payment: a price that was paid in time has settled, and no other has.
// docs/contract.md, "Statuses and transitions".

/** The statuses of a payment whose price is for the business. */
const SETTLES: ReadonlySet<string> = new Set(['swept', 'settle_failed'])

function checkOutcome({ monitor, ground }: Ending, reported: Reported, { expiresAt }: Terms, check: Check): void {
  const { address, asset, expected, index, status } = reported
  // A node that lies shows no block times.
  if (asset === null || expected === null || ground.faults.counts['provider lying'] > 0) return
  const { evidence } = monitor.figures
  const payments = evidence.inflows(address, asset).filter(({ signature }) => evidence.isFinal(signature))
  const inTime = sum(payments.filter(({ time }) => time <= expiresAt).map(({ amount }) => amount))
  const settles = SETTLES.has(status)
  check(
    'a price that is paid in time settles',
    settles || inTime < leastOf(reported) || monitor.cancels.has(index),
    () => `${inTime} of ${expected} ${asset} came in time`,
  )
  check(
    'only a price that is paid in time settles',
    !settles || inTime >= leastOf(reported) || monitor.onDemand.has(index),
    () => `${inTime} of ${expected} ${asset} came in time`,
  )
}

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
  const { feeBps, toleranceBps, priceUsdCents, reference, email } = order
  check(
    'a payment has the ordered terms',
    reported.feeBps === feeBps &&
      reported.toleranceBps === toleranceBps &&
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
