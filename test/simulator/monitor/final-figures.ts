// The figures of a payment when everything has ended: exact now, since nothing is under way that the service may not know.
import type { Books, IntentBook } from './books.ts'
import { finalBalance, placesOf } from './conservation.ts'
import type { Ending } from './ending.ts'
import { type Check, checkerOf, type Figures, sum, type Terms } from './figures.ts'
import type { Told } from './told.ts'
import { checkTold } from './told-figures.ts'

export async function checkFinalFigures(ending: Ending, books: Books): Promise<void> {
  const { monitor, findings } = ending
  for (const intent of books.intents) {
    const told = await monitor.answer(intent.callerAccountId, intent.index)
    const terms = monitor.telling.terms.get(told.id)
    findings.check('the terms of a payment do not change', terms !== undefined, () => `${told.id} was never made`)
    if (terms === undefined) continue
    checkTold(monitor.figures, told, terms, 'in the end')
    const check = checkerOf({ findings }, told, 'in the end')
    monitor.telling.checkAnswer(told, check)
    const sale = monitor.sales.get(intent.index)
    const isAgreed = sale === undefined || sale.feeBps === told.feeBps
    check('the terms of a payment do not change', isAgreed, () => `${told.feeBps} bps, and ${sale?.feeBps} was agreed`)
    checkEveryDeposit(monitor.figures, ending, told, intent, check)
    checkWhatIsLeft(ending, told, intent, check)
    checkWholeSettlement(monitor.figures, told, terms, check)
  }
  checkMoved(ending, books)
}

/** Each final deposit is in `received`, in a list, or, where it went to the business after all, in the settlement. */
function checkEveryDeposit(
  { evidence }: Figures,
  { stage }: Ending,
  told: Told,
  intent: IntentBook,
  check: Check,
): void {
  const places = placesOf(stage, intent)
  const rule = 'every deposit is told'
  for (const { asset, account } of places) {
    const final = evidence.inflows(told.address, asset).filter((one) => one.account === account)
    const came = sum(final.filter(({ signature }) => evidence.isFinal(signature)).map(({ amount }) => amount))
    const rest = came - (told.lateTotals.amounts.get(asset) ?? 0n)
    if (asset !== told.asset) {
      const isListed = rest === 0n || told.tokenRefunds.some((one) => one.asset === asset)
      check(rule, isListed, () => `${rest} ${asset} is in no list`)
      continue
    }
    const settled = sum((told.settlement?.legs ?? []).map(({ amount }) => amount))
    const alsoSettled = rest - told.received
    check(
      rule,
      alsoSettled === 0n || (alsoSettled > 0n && alsoSettled + smaller(told.received, told.expected ?? 0n) <= settled),
      () => `${told.received} received, ${settled} settled, and ${rest} ${asset} is not late`,
    )
  }
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** What lies at the address is told as held, to the unit, unless it is the business's and waits for it. */
function checkWhatIsLeft({ ground, stage }: Ending, told: Told, intent: IntentBook, check: Check): void {
  for (const place of placesOf(stage, intent)) {
    const { asset } = place
    const left = finalBalance(ground, place)
    const held = told.heldTotals.amounts.get(asset) ?? 0n
    const waits = asset === told.asset && told.status === 'settle_failed'
    check('what is told as held is there', waits || held === left, () => `${held} ${asset} told, and ${left} is there`)
    const refund = told.tokenRefunds.find((one) => one.asset === asset)
    check(
      'returns of tokens are what the chain says',
      refund === undefined || refund.status !== 'refunded' || left === 0n,
      () => `${asset} told as refunded, and ${left} is there`,
    )
  }
}

/** A settlement tells everything that the business got. */
function checkWholeSettlement(
  { evidence, partiesOf }: Figures,
  { address, asset, settlement }: Told,
  { accountId }: Terms,
  check: Check,
): void {
  if (asset === null) return
  const got = evidence.arrivedAt(address, asset, partiesOf(accountId).business)
  const told = settlement?.destinationAmount ?? 0n
  check('a settlement is what the chain did', told === got, () => `${told} ${asset} told, and ${got} arrived`)
}

/** `moved_amount` of each leg is what arrived by its transaction. */
function checkMoved({ monitor, findings }: Ending, { transfers }: Books): void {
  for (const { key, asset, source, signature, status, legs } of transfers) {
    const rule = 'a leg’s moved amount is what arrived'
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
      const told = sum(own.map(({ moved }) => moved ?? 0n))
      const real = outflow?.arrived.get(wallet) ?? 0n
      findings.check(rule, told === real, () => `${key}: ${told} to ${wallet}, where ${real} arrived`)
    }
  }
}
