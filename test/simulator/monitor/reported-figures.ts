// Compares every shown amount of a payment with the chain at the moment it is shown.
import { type Asset, SOL } from '#core/chain/types.ts'
import type { Inflow } from './evidence.ts'
import { type Check, checkerOf, type Figures, isSumOf, leastOf, payersOf, sum, type Terms } from './figures.ts'
import { baseUnitsOf, type Reported, type ReportedRefund, type ReportedReturn } from './reported.ts'
import { checkSettlement } from './settlements.ts'
import { actionOf } from './transitions.ts'

// Checks the link to pay: it asks for exactly what is due, and it is there only while something is due.

const RULE = 'a payment link asks for what is due'

const LINK =
  /^solana:([1-9A-HJ-NP-Za-km-z]{32,44})\?amount=([\d.]+)(?:&spl-token=([1-9A-HJ-NP-Za-km-z]{32,44}))?&label=(.+)$/

function checkPaymentUri(
  { stage }: Pick<Figures, 'stage'>,
  { address, asset, decimals, expected, paymentUri, shortfall, status }: Reported,
  check: Check,
): void {
  const isDue = asset !== null && (status === 'pending' || status === 'underpaid')
  check(RULE, (paymentUri !== null) === isDue, () => `${paymentUri} for ${asset}`)
  if (asset === null) return
  const real = asset === SOL ? SOL_DECIMALS : (stage.mints.get(asset)?.decimals ?? null)
  if (paymentUri !== null) {
    const [, to, amount = '', mint] = LINK.exec(paymentUri) ?? []
    const due = shortfall ?? expected
    const isExact = real !== null && baseUnitsOf(amount, real) === due
    const isRight = isExact && to === address && mint === (asset === SOL ? undefined : asset)
    check(RULE, isRight, () => `${paymentUri} for ${due} ${asset} to ${address}`)
  }
  check(RULE, decimals === real, () => `${decimals} decimals of ${asset}, which has ${real}`)
}

const WINDOW_MS = 600_000
const SOL_DECIMALS = 9

/** Checks rules that hold at any moment, whatever the service does not know yet. */
export function checkReported(figures: Figures, reported: Reported, terms: Terms, when: string): void {
  const check = checkerOf(figures, reported, when)
  check(
    'the terms of a payment do not change',
    reported.address === terms.address &&
      reported.priceUsdCents === terms.priceUsdCents &&
      reported.feeBps === terms.feeBps &&
      reported.toleranceBps === terms.toleranceBps &&
      reported.createdAt === terms.createdAt &&
      reported.expiresAt === terms.expiresAt,
    () => `${reported.address}, ${reported.priceUsdCents} cents, ${reported.feeBps} bps, until ${reported.expiresAt}`,
  )
  check(
    'a payment can be paid for ten minutes',
    reported.expiresAt - reported.createdAt === WINDOW_MS,
    () => `${reported.expiresAt - reported.createdAt} ms`,
  )
  checkTokens(figures, reported, check)
  checkStatus(reported, check)
  checkPaymentUri(figures, reported, check)
  checkReceived(figures, reported, terms, check)
  checkSender(figures, reported, check)
  checkHeld(figures, reported, check)
  checkLatePayments(figures, reported, terms, check)
  checkTokenRefunds(figures, reported, check)
  if (reported.settlement !== null) checkSettlement(figures, reported, reported.settlement, terms, check)
}

/** The names and decimals of an asset, from which people compute whole units. */
function checkTokens({ stage }: Figures, { asset, decimals, settlement }: Reported, check: Check): void {
  if (asset === null) return
  const token = stage.mints.get(asset)
  const [ticker, real] = token === undefined ? ['SOL', SOL_DECIMALS] : [token.ticker, token.decimals]
  const named = settlement === null ? [] : [settlement, ...settlement.legs]
  check(
    'an amount has the decimals of its asset',
    decimals === real && named.every((one) => one.ticker === ticker && one.decimals === real),
    () => `${asset} with ${[decimals, ...named.map((one) => `${one.decimals} ${one.ticker}`)].join(', ')}`,
  )
}

/** The amounts that decide a status, and the fields that follow from it. */
function checkStatus(reported: Reported, check: Check): void {
  const { status, action, received, expected, shortfall, asset, settlement } = reported
  const rule = 'a status agrees with its amounts'
  const price = expected ?? 0n
  const isTrue: Readonly<Record<string, boolean>> = {
    pending: received === 0n,
    underpaid: received > 0n && received < leastOf(reported),
    paid: expected !== null && received >= leastOf(reported) && received <= price,
    overpaid: expected !== null && received > price,
    settling: received > 0n,
    settle_failed: received > 0n,
    swept: received > 0n && settlement !== null,
    // The business can sweep money that came later and cannot go back.
    cancelled: received === 0n || settlement !== null,
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

function checkReceived(figures: Figures, reported: Reported, { expiresAt }: Terms, check: Check): void {
  const rule = 'received money arrived'
  const { asset, expected, received, settlement } = reported
  if (asset === null || expected === null) {
    check(rule, received === 0n, () => `${received} of nothing`)
    return
  }
  const payments = figures.evidence.inflows(reported.address, asset)
  const inTime = payments.filter(({ time }) => time <= expiresAt)
  // Late payments count only after a price that was paid in time, or where they settled. A node may have no block
  // times.
  const knowsTimes = figures.faults.counts['provider lying'] === 0
  const counts =
    settlement === null && knowsTimes && sum(inTime.map(({ amount }) => amount)) < leastOf(reported) ? inTime : payments
  check(
    rule,
    isSumOf(
      received,
      counts.map(({ amount }) => amount),
    ),
    () => `${received} ${asset}, of ${counts.map(({ amount }) => amount).join(', ')}`,
  )
}

function checkSender(figures: Figures, { address, asset, refundSender, status }: Reported, check: Check): void {
  const rule = 'a refund sender is a wallet that paid'
  const isActive = status === 'underpaid' || status === 'paid' || status === 'overpaid'
  const payers = payersOf(figures, address, isActive ? asset : null)
  check(rule, refundSender === null || payers.has(refundSender), () => `${refundSender} never paid`)
  if (asset === null || !isActive) return
  // Several signers may be ambiguous, and a custodian's wallet is never refunded automatically.
  const areClear = figures.evidence
    .inflows(address, asset)
    .every(({ signers, payers: own }) => signers === 1 && own.some((payer) => !figures.stage.custodians.has(payer)))
  check(rule, refundSender !== null || !areClear, () => `none is shown, of ${[...payers].join(', ')}`)
}

/** The number of the shown entries of a list that is shown in part. */
export const SHOWN = 20

/** A list is shown whole up to its bound, and a longer list has more entries than are shown. */
const isCountOf = (count: number, shown: number): boolean => count === shown || (shown === SHOWN && count > SHOWN)

/** Money that did not arrive, or that the ledger knows to have left, is not shown as held. */
function checkHeld({ evidence, isBelowBooks }: Figures, shown: Reported, check: Check): void {
  const { address, held, heldTotals } = shown
  const { count } = heldTotals
  check('held money is at its address', isCountOf(count, held.length), () => `${count} counted, of ${held.length}`)
  for (const [asset, parts] of Map.groupBy(held, (one) => one.asset)) {
    const reported = heldTotals.amounts.get(asset) ?? 0n
    const there = sum(evidence.inflows(address, asset).map(({ amount }) => amount)) - evidence.left(address, asset)
    const isThere = reported <= there || isBelowBooks(address)
    check('held money is at its address', isThere && parts.every(({ amount }) => amount > 0n), () => {
      return `${reported} ${asset}, of ${there}`
    })
    const areSilent = parts.some(({ reason }) => reason === '')
    check('held money has a reason', !areSilent, () => `${reported} ${asset}`)
  }
}

/**
 * Money that final transactions moved from the address to other wallets than the payees: it can be shown as returned.
 */
function returned({ evidence, partiesOf }: Figures, { address }: Reported, { accountId }: Terms, asset: Asset): bigint {
  const { business, marketplace, platform } = partiesOf(accountId)
  const paid = new Set([...business, ...marketplace, ...platform])
  return evidence.left(address, asset) - evidence.arrivedAt(address, asset, paid)
}

function checkLatePayments(figures: Figures, reported: Reported, terms: Terms, check: Check): void {
  const rule = 'late payments agree with the chain'
  const names = reported.latePayments.map(({ asset, signature }) => `${asset} ${signature}`)
  check(rule, new Set(names).size === names.length, () => `shown twice: ${names.join('; ')}`)
  const { count } = reported.lateTotals
  check(rule, isCountOf(count, names.length), () => `${count} counted, and ${names.length} shown`)
  for (const one of reported.latePayments) {
    const { asset, amount, signature, status, count, refund } = one
    const payments = figures.evidence.inflows(reported.address, asset)
    const payment = payments.find((other) => other.signature === signature)
    const real = payment?.amount
    const amounts = payments.map((other) => other.amount)
    const isTrue = real !== undefined && (count === 1 ? real === amount : isSumOf(amount, amounts))
    check(rule, isTrue, () => `${signature} ${status}: ${count} of ${amount} ${asset}, really ${real}`)
    if (refund !== null) checkRefund(figures, reported, refund, check)
    checkReturnOf(one, check)
    // Several payments that are too small to return share an entry, which names the newest of them.
    if (refund !== null && payment !== undefined && count === 1)
      checkReturnedAfter(figures, reported, payment, refund, check)
    // A payment that only paid the fee of a refund names no amount that went back. The refund was for its own wallet, or the
    // operator released it to another.
    const payers = payment?.payers ?? []
    const wallets = new Set([...payers, ...figures.releasedTo(reported.index)])
    const isFee = status === 'refunded' && refund === null
    const isOwn = !isFee || figures.evidence.arrivedAt(reported.address, asset, wallets) > 0n
    check(rule, isOwn, () => `${signature} shown as refunded, and its wallet got nothing`)
  }
  for (const [asset, late] of Map.groupBy(reported.latePayments, (one) => one.asset)) {
    const back = sum(late.filter(({ status }) => status === 'refunded').map(({ amount }) => amount))
    const gone = returned(figures, reported, terms, asset)
    check(rule, back <= gone, () => `${back} ${asset} shown as refunded, ${gone} returned`)
  }
}

/** An entry names at most its own amount as returned, and the transactions once they are final. */
function checkReturnOf({ asset, status, amount, refund }: ReportedReturn, check: Check): void {
  if (refund === null) return
  check(
    'a refund agrees with the chain',
    (amount === null || refund.amount <= amount) && (status !== 'refunded' || refund.signatures.length > 0),
    () => `${refund.amount} of ${amount} ${asset} is ${status} by ${refund.signatures.length} transactions`,
  )
}

/** A transfer takes only money that was final when it was planned, so a payment goes back by later transactions only. */
function checkReturnedAfter(
  { evidence }: Figures,
  { address }: Reported,
  payment: Inflow,
  { asset, signatures }: ReportedRefund,
  check: Check,
): void {
  for (const signature of signatures) {
    const outflow = evidence.outflow(address, asset, signature)
    check(
      'a refund agrees with the chain',
      outflow === null || outflow.slot > payment.slot,
      () => `${signature} in ${outflow?.slot} is shown as the return of ${payment.signature} in ${payment.slot}`,
    )
  }
}

function checkTokenRefunds(figures: Figures, reported: Reported, check: Check): void {
  const rule = 'token refunds agree with the chain'
  for (const { asset, status, amount, refund } of reported.tokenRefunds) {
    const came = sum(figures.evidence.inflows(reported.address, asset).map((one) => one.amount))
    const left = figures.evidence.left(reported.address, asset)
    check(rule, asset !== reported.asset && came > 0n, () => `${asset} never arrived`)
    check(rule, status !== 'refunded' || left > 0n, () => `${asset} shown as refunded, and nothing left`)
    check(rule, amount === null || amount <= came, () => `${amount} ${asset}, and ${came} arrived`)
    checkReturnOf({ asset, status, amount, refund }, check)
    if (refund !== null) checkRefund(figures, reported, refund, check)
  }
  for (const refund of reported.refunds) checkRefund(figures, reported, refund, check)
}

/** A refund names transactions that took the asset out of the address, and at most the amount that arrived. */
function checkRefund(
  { evidence }: Figures,
  reported: Reported,
  { asset, amount, signatures }: ReportedRefund,
  check: Check,
): void {
  const rule = 'a refund agrees with the chain'
  const came = sum(evidence.inflows(reported.address, asset).map((one) => one.amount))
  check(rule, amount <= came, () => `${amount} ${asset} back, and ${came} arrived`)
  for (const signature of signatures) {
    const outflow = evidence.outflow(reported.address, asset, signature)
    check(rule, outflow !== null && outflow.left > 0n, () => `${signature} returned no ${asset}`)
  }
}
