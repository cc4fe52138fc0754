// Every figure that is told of a payment, held against the chain at the moment it is told.
import type { Asset } from '#core/chain/types.ts'
import { type Check, checkerOf, type Figures, isSumOf, payersOf, sum, type Terms } from './figures.ts'
import { checkSettlement } from './settlements.ts'
import type { Told, ToldRefund } from './told.ts'
import { actionOf } from './transitions.ts'

/** Holds at any moment, whatever the service does not know yet. */
export function checkTold(figures: Figures, told: Told, terms: Terms, when: string): void {
  const check = checkerOf(figures, told, when)
  check(
    'the terms of a payment do not change',
    told.address === terms.address && told.priceUsdCents === terms.priceUsdCents && told.feeBps === terms.feeBps,
    () => `${told.address}, ${told.priceUsdCents} cents, ${told.feeBps} bps`,
  )
  checkStatus(told, check)
  checkReceived(figures, told, terms, check)
  checkSender(figures, told, check)
  checkHeld(figures, told, check)
  checkLatePayments(figures, told, terms, check)
  checkTokenRefunds(figures, told, check)
  if (told.settlement !== null) checkSettlement(figures, told, told.settlement, terms, check)
}

/** The figures that decide a status, and the words that follow from it. */
function checkStatus({ status, action, received, expected, shortfall, asset, settlement }: Told, check: Check): void {
  const rule = 'a status is what its figures say'
  const price = expected ?? 0n
  const isTrue: Readonly<Record<string, boolean>> = {
    pending: received === 0n,
    underpaid: received > 0n && received < price,
    paid: expected !== null && received === price,
    overpaid: expected !== null && received > price,
    settling: received > 0n,
    settle_failed: received > 0n,
    swept: received > 0n && settlement !== null,
    cancelled: received === 0n,
    refunding: true,
    refunded: true,
    refund_failed: true,
  }
  check(rule, isTrue[status] === true, () => `received ${received} of ${expected}`)
  check(rule, action === actionOf(status, expected !== null && received > price), () => `action ${action}`)
  check(
    rule,
    shortfall === (status === 'underpaid' ? price - received : null),
    () => `shortfall ${shortfall} of ${received} of ${expected}`,
  )
  check(rule, (asset === null) === (expected === null), () => `asset ${asset}, expected ${expected}`)
}

function checkReceived(figures: Figures, told: Told, { expiresAt }: Terms, check: Check): void {
  const rule = 'what is told as received arrived'
  const { asset, expected, received, settlement } = told
  if (asset === null || expected === null) {
    check(rule, received === 0n, () => `${received} of nothing`)
    return
  }
  const payments = figures.evidence.inflows(told.address, asset)
  const inTime = payments.filter(({ times }) => times.some((time) => time <= expiresAt))
  // Late payments count only after a price that was paid in time, or where they settled. A node may know no block times.
  const knowsTimes = figures.faults.counts['provider lying'] === 0
  const counts =
    settlement === null && knowsTimes && sum(inTime.map(({ amount }) => amount)) < expected ? inTime : payments
  check(
    rule,
    isSumOf(
      received,
      counts.map(({ amount }) => amount),
    ),
    () => `${received} ${asset}, of ${counts.map(({ amount }) => amount).join(', ')}`,
  )
}

function checkSender(figures: Figures, { address, asset, refundSender, status }: Told, check: Check): void {
  const rule = 'a refund sender is a wallet that paid'
  const payers = payersOf(figures, address)
  check(rule, refundSender === null || payers.has(refundSender), () => `${refundSender} never paid`)
  if (asset === null || (status !== 'underpaid' && status !== 'paid' && status !== 'overpaid')) return
  // Several signers may be ambiguous, and a custodian's wallet is never refunded by itself.
  const areClear = figures.evidence
    .inflows(address, asset)
    .every(({ signers, payers: own }) => signers === 1 && own.some((payer) => !figures.stage.custodians.has(payer)))
  check(rule, refundSender !== null || !areClear, () => `none is told, of ${[...payers].join(', ')}`)
}

/** Nothing is told as held that did not arrive, or that has left. */
function checkHeld({ evidence }: Figures, { address, held, heldTotals }: Told, check: Check): void {
  for (const [asset, parts] of Map.groupBy(held, (one) => one.asset)) {
    const told = heldTotals.amounts.get(asset) ?? 0n
    const there = sum(evidence.inflows(address, asset).map(({ amount }) => amount)) - evidence.left(address, asset)
    check('what is told as held is there', told <= there && parts.every(({ amount }) => amount > 0n), () => {
      return `${told} ${asset}, of ${there}`
    })
    const areSilent = parts.some(({ reason }) => reason === '')
    check('what is held says why', !areSilent, () => `${told} ${asset}`)
  }
}

/** What final transactions took from the address to nobody who is paid: it can be told as returned. */
function returned({ evidence, partiesOf }: Figures, { address }: Told, { accountId }: Terms, asset: Asset): bigint {
  const { business, marketplace, platform } = partiesOf(accountId)
  const paid = new Set([...business, ...marketplace, ...platform])
  return evidence.left(address, asset) - evidence.arrivedAt(address, asset, paid)
}

function checkLatePayments(figures: Figures, told: Told, terms: Terms, check: Check): void {
  const rule = 'late payments are what the chain says'
  const names = told.latePayments.map(({ asset, signature }) => `${asset} ${signature}`)
  check(rule, new Set(names).size === names.length, () => `told twice: ${names.join('; ')}`)
  check(rule, told.lateTotals.count >= names.length, () => `${told.lateTotals.count} counted`)
  for (const one of told.latePayments) {
    const { asset, amount, signature, status, count, refund } = one
    const payments = figures.evidence.inflows(told.address, asset)
    const real = payments.find((payment) => payment.signature === signature)?.amount
    const amounts = payments.map((payment) => payment.amount)
    const isTrue = real !== undefined && (count === 1 ? real === amount : isSumOf(amount, amounts))
    check(rule, isTrue, () => `${signature} ${status}: ${count} of ${amount} ${asset}, really ${real}`)
    if (refund !== null) checkRefund(figures, told, refund, check)
  }
  for (const [asset, late] of Map.groupBy(told.latePayments, (one) => one.asset)) {
    const back = sum(late.filter(({ status }) => status === 'refunded').map(({ amount }) => amount))
    const gone = returned(figures, told, terms, asset)
    check(rule, back <= gone, () => `${back} ${asset} told as refunded, ${gone} returned`)
  }
}

function checkTokenRefunds(figures: Figures, told: Told, check: Check): void {
  const rule = 'returns of tokens are what the chain says'
  for (const { asset, status, amount, refund } of told.tokenRefunds) {
    const came = sum(figures.evidence.inflows(told.address, asset).map((one) => one.amount))
    const left = figures.evidence.left(told.address, asset)
    check(rule, asset !== told.asset && came > 0n, () => `${asset} never arrived`)
    check(rule, status !== 'refunded' || left > 0n, () => `${asset} told as refunded, and nothing left`)
    check(rule, amount === null || amount <= came, () => `${amount} ${asset}, and ${came} arrived`)
    if (refund !== null) checkRefund(figures, told, refund, check)
  }
  for (const refund of told.refunds) checkRefund(figures, told, refund, check)
}

/** A refund names transactions that took the asset out of the address, and no more than arrived there. */
function checkRefund({ evidence }: Figures, told: Told, { asset, amount, signatures }: ToldRefund, check: Check): void {
  const rule = 'a refund is what the chain did'
  const came = sum(evidence.inflows(told.address, asset).map((one) => one.amount))
  check(rule, amount <= came, () => `${amount} ${asset} back, and ${came} arrived`)
  for (const signature of signatures) {
    const outflow = evidence.outflow(told.address, asset, signature)
    check(rule, outflow !== null && outflow.left > 0n, () => `${signature} returned no ${asset}`)
  }
}
