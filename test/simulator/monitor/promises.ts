// Compares the promises to buyers and businesses with the chain. docs/money.md, "Shapes that work on Solana";
// docs/contract.md, "Fees".
import { makeAsset } from '#core/chain/base58.ts'
import { type Address, type Asset, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { obstacleText } from '#core/payments/obstacle.ts'
import { RENT_MINIMUMS } from '../prices.ts'
import { NETWORK_FEE } from '../stage.ts'
import type { Books, IntentBook, TransferBook } from './books.ts'
import { finalBalance, placesOf } from './conservation.ts'
import type { Ending } from './ending.ts'
import { shareOf, sum } from './figures.ts'

/**
 * The amount that may go to the business in addition to its price, because SOL below the rent minimum cannot stay
 * behind.
 */
const REMNANT = 2_000_000n
/**
 * A token's excess in US cents that may go to the business, because its return would cost more. One refund costs less than a
 * cent, also when SOL is at its highest, so this is enough for the parts of many senders. A token costs a dollar.
 */
const TOO_SMALL_CENTS = 220n
const MAX_ATTEMPTS = 64
/**
 * The limit of events for one payment, and four more for each retry by a person: the transfer starts, and stops again.
 */
const MAX_EVENTS = 120
const EVENTS_PER_REARM = 4

export async function checkPromises(ending: Ending, books: Books): Promise<void> {
  for (const intent of books.intents) {
    checkRefunds(ending, books, intent)
    checkBusiness(ending, books, intent)
    checkSplit(ending, books, intent)
    checkReasons(ending, books, intent)
    checkLists(ending, intent)
  }
  for (const { key, status, reason, attempts } of books.transfers) {
    ending.findings.check('work is bounded', attempts <= MAX_ATTEMPTS, () => `${key} took ${attempts} attempts`)
    const isSilent = (status === 'failed' || status === 'held') && (reason ?? '') === ''
    ending.findings.check('held money has a reason', !isSilent, () => `${key} is ${status}`)
  }
  await checkDeliveries(ending)
  await checkFeeds(ending)
}

/** A sender gets back at most the amount that it sent, and no other wallet gets a refund. */
function checkRefunds({ ground, stage, monitor, findings }: Ending, { transfers }: Books, intent: IntentBook): void {
  const places = placesOf(stage, intent)
  const sentBy = (wallet: Address, asset: Asset): bigint => {
    const to = places.filter((one) => one.asset === asset).map(({ account }) => account)
    const payments = ground.chain
      .all()
      .filter(
        ({ effects, error }) => error === null && effects.some((one) => one.delta > 0n && to.includes(one.account)),
      )
    return sum(
      payments.flatMap(({ signature, effects, keys, signers }) => {
        const meant = monitor.payments.get(signature)?.filter((one) => one.wallet === wallet && one.asset === asset)
        if (meant !== undefined) return meant.map(({ amount }) => amount)
        const isSigner = keys.slice(0, signers).includes(wallet)
        const fell = effects.filter((one) => one.owner === wallet && one.asset === asset && one.delta < 0n)
        return isSigner ? fell.map(({ delta }) => -delta) : []
      }),
    )
  }
  const refunds = transfers
    .filter(({ intentId, status }) => intentId === intent.id && status === 'done')
    .flatMap(({ asset, legs }) => legs.filter(({ role }) => role === 'refund').map((leg) => ({ ...leg, asset })))
  for (const [name, legs] of Map.groupBy(refunds, ({ destination, asset }) => `${destination} ${asset}`)) {
    const [leg] = legs
    if (leg === undefined) continue
    findings.check('nothing goes back to a custodian automatically', !stage.custodians.has(leg.destination), () => name)
    const back = sum(legs.map(({ amount }) => amount))
    const sent = sentBy(leg.destination, leg.asset)
    findings.check(
      'no wallet gets back more than it sent',
      back <= sent,
      () => `${name} sent ${sent} and got ${back} back`,
    )
  }
}

/** The parts of a sweep that are the payment: the part of the payee, and the cuts of a payment for a seller. */
const SETTLED: ReadonlySet<string> = new Set(['merchant', 'seller', 'marketplace', 'platform'])
const isMain = ({ portion }: TransferBook): boolean => portion === 'main'
const settledBy = ({ legs }: TransferBook): bigint =>
  sum(legs.filter(({ role }) => role !== 'refund').map(({ amount }) => amount))

/** A swept payment gave the business its price, and no more than is unavoidable unless the business requested it. */
function checkBusiness({ findings, monitor, stage }: Ending, { transfers, deposits }: Books, intent: IntentBook): void {
  const { asset, expected } = intent
  if (intent.status !== 'swept' || asset === null) return
  const sweeps = transfers.filter(
    ({ intentId, kind, status }) => intentId === intent.id && kind === 'sweep' && status === 'done',
  )
  const got = sum(
    sweeps.flatMap(({ legs }) => legs.filter(({ role }) => SETTLED.has(role)).map(({ amount }) => amount)),
  )
  const applied = deposits.filter(({ intentId, use }) => intentId === intent.id && use === 'applied')
  const paid = sum(applied.map(({ amount }) => amount))
  const fee = asset === SOL ? NETWORK_FEE : 0n
  // The transfer of a rent reserve repays no fee.
  const repaying = sweeps.filter(isMain).length
  const owed = (paid < expected ? paid : expected) - fee * BigInt(repaying)
  const slack =
    asset === SOL ? REMNANT : (10n ** BigInt(stage.mints.get(asset)?.decimals ?? 0) * TOO_SMALL_CENTS) / 100n
  const most = monitor.onDemand.has(intent.index) ? paid + expected * 100n : owed + slack
  findings.check(
    'a business gets its price',
    got >= owed && got <= most,
    () => `intent ${intent.index}: ${got}, owed ${owed}`,
  )
}

/**
 * Every part of a payment goes to a wallet that its owner named, and the cuts have the agreed rates: of SOL paid for a
 * seller, rounded down to the lamport. The rent reserve counts with the sweep that left it.
 */
function checkSplit({ findings, ground, monitor, stage }: Ending, { transfers }: Books, intent: IntentBook): void {
  const order = monitor.orders.get(intent.index)
  // A create whose answer was lost.
  if (order === undefined) return
  const { payee, feeBps } = order
  const isSeller = payee.terms !== null
  const marketplace = stage.payees.find(({ accountId }) => isSeller && accountId === payee.caller.accountId)
  const feeWallets = payee.terms?.feeWallet ?? null
  const wallets = new Map<string, readonly Address[]>([
    [isSeller ? 'seller' : 'merchant', payee.wallets.map(({ address }) => address)],
    ['marketplace', feeWallets === null ? (marketplace?.wallets ?? []).map(({ address }) => address) : [feeWallets]],
    ['platform', stage.terms.platformWallet === null ? [] : [stage.terms.platformWallet]],
  ])
  const rates = new Map([
    ['marketplace', isSeller ? (feeBps ?? 0) : 0],
    ['platform', isSeller && stage.terms.platformWallet !== null ? stage.terms.platformFeeBps : 0],
  ])
  const sweeps = transfers.filter(({ intentId, kind }) => intentId === intent.id && kind === 'sweep')
  for (const { key, legs } of sweeps)
    for (const { role, destination } of legs.filter((one) => SETTLED.has(one.role))) {
      const isNamed = wallets.get(role)?.includes(destination) === true
      findings.check('money goes to a wallet that its owner named', isNamed, () => `${key}: ${role} to ${destination}`)
    }
  const arrival = monitor.figures.evidence.inflows(intent.address, SOL)[0]?.slot ?? 0n
  const wasEmpty = (wallet: Address): boolean => ground.chain.accountAt(wallet, arrival) === null
  for (const sweep of sweeps.filter(({ status }) => status === 'done')) {
    const whole = settledBy(sweep) + leftBy(sweep, sweeps)
    for (const [role, rate] of rates) {
      const cut = sum(sweep.legs.filter((leg) => leg.role === role).map(({ amount }) => amount))
      const due = sweep.asset === SOL && isMain(sweep) ? shareOf(whole, rate) : 0n
      const isAgreed = cut === due || (cut === 0n && isWaived(role, sweep, sweeps, wasEmpty))
      const what = () => `${sweep.key}: ${role} has ${cut} of ${whole} at ${rate}`
      findings.check('a cut has the agreed rate', isAgreed, what)
    }
  }
}

/** Returns the part of the business that a sweep left at the address: the amount of the first round of the rent reserve. */
function leftBy({ round }: TransferBook, sweeps: readonly TransferBook[]): bigint {
  const [first] = sweeps.filter((one) => !isMain(one)).sort((a, b) => a.round - b.round)
  return first?.round === round + 1 ? settledBy(first) : 0n
}

/** A cut is waived when the round before was withdrawn, and had too little for the wallet of the cut, which is empty. */
function isWaived(
  role: string,
  { round }: TransferBook,
  sweeps: readonly TransferBook[],
  wasEmpty: (wallet: Address) => boolean,
): boolean {
  const [before] = sweeps.filter((one) => isMain(one) && one.round < round).sort((a, b) => b.round - a.round)
  const wallet = before?.legs.find((leg) => leg.role === role)?.destination
  if (before?.status !== 'failed' || wallet === undefined) return false
  // It may have had attempts before, which are dead. A round that failed on chain has the error of the chain as its reason.
  const isObstructed = before.legs.some((leg) => before.reason === obstacleText('below_rent_minimum', leg.destination))
  if (!isObstructed) return false
  const own = before.legs.filter(({ destination }) => destination === wallet).map(({ amount }) => amount)
  return RENT_MINIMUMS.some((minimum) => sum(own) < minimum) && wasEmpty(wallet)
}

/**
 * Less than a cent of a token. When the rest of a payment has gone back, such an amount stays: `held` has it, with a reason of its
 * own.
 */
const isDust = ({ mints }: Ending['stage'], asset: Asset, amount: bigint): boolean => {
  const mint = mints.get(asset)
  return mint !== undefined && amount * 100n < 10n ** BigInt(mint.decimals)
}

/** All money left at an address after everything has ended is reported. */
function checkReasons({ ground, stage, findings }: Ending, { deposits }: Books, intent: IntentBook): void {
  const failed = intent.status === 'settle_failed' || intent.status === 'refund_failed'
  const places = placesOf(stage, intent)
  // The business can sweep what could not go back.
  const isSwept =
    intent.isSettled && places.every((place) => place.asset !== intent.asset || finalBalance(ground, place) === 0n)
  const mayBeSilent = intent.status === 'refund_failed' && isSwept
  findings.check(
    'held money has a reason',
    !failed || intent.reason !== null || mayBeSilent,
    () => `intent ${intent.index} is ${intent.status}`,
  )
  for (const place of places) {
    const left = finalBalance(ground, place)
    if (left === 0n) continue
    const isHeld = deposits.some(
      (one) => one.intentId === intent.id && one.account === place.account && one.use === 'unaccepted',
    )
    const isListed = [...intent.latePayments, ...intent.tokenRefunds].some(({ status }) => status !== 'refunded')
    findings.check(
      'held money has a reason',
      intent.reason !== null ||
        isListed ||
        isHeld ||
        (intent.status === 'refunded' && isDust(stage, place.asset, left)),
      () => `intent ${intent.index} (${intent.status}) keeps ${left} ${place.asset} without a report`,
    )
  }
}

/**
 * Money that went back is shown as returned, and nothing of it is left at the address. SOL that could not stay went to no sender,
 * and is shown as failed without a refund.
 */
function checkLists({ ground, stage, findings }: Ending, intent: IntentBook): void {
  const left = new Map(placesOf(stage, intent).map((place) => [place.asset, finalBalance(ground, place)]))
  for (const { mint, status, isRefunded } of [...intent.latePayments, ...intent.tokenRefunds]) {
    const asset = mint === null || mint === WRAPPED_SOL_MINT ? SOL : makeAsset(mint)
    const isGone = left.get(asset) === 0n
    const isLost = asset === SOL && status === 'failed' && !isRefunded
    findings.check(
      'money that went back is shown as returned',
      !isGone || status === 'refunded' || isLost,
      () => `intent ${intent.index}: ${asset} ${status}`,
    )
  }
}

/** Every event has a delivery to each endpoint of its business, and was received. */
async function checkDeliveries({ db, stage, ground, findings }: Ending): Promise<void> {
  const forgotten = await db.query<{ event: string; url: string }>(`
    SELECT e.type || ' ' || e.id AS event, endpoint.url FROM events e JOIN accounts a ON a.id = e.account_id
    JOIN webhook_endpoints endpoint ON endpoint.account_id = coalesce(a.marketplace_account_id, a.id)
    LEFT JOIN webhook_deliveries d ON d.event_id = e.id AND d.endpoint_id = endpoint.id
    WHERE d.id IS NULL AND e.type <> 'intent.updated'`)
  findings.check('events are delivered', forgotten.length === 0, () => {
    return forgotten.map(({ event, url }) => `${event} has no delivery to ${url}`).join('; ')
  })
  const rows = await db.query<{ event: string; url: string; status: string }>(`
    SELECT d.event_id AS event, e.url, d.status::text AS status FROM webhook_deliveries d
    JOIN webhook_endpoints e ON e.id = d.endpoint_id`)
  for (const { event, url, status } of rows) {
    const isThere = stage.receivers.received.get(url)?.includes(event) === true
    findings.check(
      'events are delivered',
      isThere || status === 'failed',
      () => `${event} is ${status} and was not received`,
    )
  }
  const counts = await db.query<{ intent: string; events: bigint; versions: bigint }>(`
    SELECT coalesce(intent_id, subject_id) AS intent, count(*) AS events,
      count(DISTINCT (type, coalesce(data->>'version', version::text))) AS versions
    FROM events WHERE type <> 'intent.updated' GROUP BY coalesce(intent_id, subject_id)`)
  for (const { intent, events, versions } of counts) {
    const most = MAX_EVENTS + EVENTS_PER_REARM * (ground.rearms.get(intent) ?? 0)
    findings.check('work is bounded', events <= BigInt(most), () => `${events} events of ${intent}, at most ${most}`)
    findings.check(
      'one event for each transition',
      events === versions,
      () => `${events} events of ${intent}, ${versions} different`,
    )
  }
}

/** What a marketplace is shown last of a payment for a seller is its present state. docs/graphql.md */
async function checkFeeds({ db, findings }: Ending): Promise<void> {
  const rows = await db.query<{ index: number; type: string; shown: object; stored: object }>(`
    SELECT DISTINCT ON (intent.id) intent.derivation_index AS index, event.type,
      jsonb_build_array(data->>'status', data->>'statusReason', data->>'received', data->>'refundSender',
        nullif(shown->'customerDetails', 'null'), nullif(shown->'settlement', 'null'), shown->'refunds',
        shown->'tokenRefunds', shown->'latePayments', shown->'held', shown->'listTotals') AS shown,
      jsonb_build_array(status, status_reason, received_amount::text, refund_sender, customer_details, settlement, refunds,
        token_refunds, late_payments, held, list_totals) AS stored
    FROM payment_intents intent JOIN events event ON event.intent_id = intent.id, to_jsonb(event.data) AS shown
    WHERE intent.account_id <> intent.caller_account_id
    ORDER BY intent.id, event.database_transaction DESC, event.sequence DESC`)
  for (const { index, type, shown, stored } of rows)
    findings.check(
      'a marketplace is shown the present state',
      JSON.stringify(shown) === JSON.stringify(stored),
      () => `intent ${index}: ${type} shows ${JSON.stringify(shown)}, not ${JSON.stringify(stored)}`,
    )
}
