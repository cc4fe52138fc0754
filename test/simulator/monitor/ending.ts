// The checks after the faults are over and everything has ended: ledger, chain and promises.
import type { Database } from '#adapters/prisma/engine/database.ts'
import { makeAddress, makeAsset } from '#core/chain/base58.ts'
import { holdingPlace } from '../chain/wallets.ts'
import type { WorldPorts } from '../ports.ts'
import type { Stage } from '../stage.ts'
import type { Ground } from '../world.ts'
import { checkBillingEnd, openBilling } from './billing/ending.ts'
import { type Books, readBooks } from './books.ts'
import { checkBusinessRefunds } from './business-refunds.ts'
import { checkConservation, finalBalance, placesOf } from './conservation.ts'
import { sum } from './figures.ts'
import { checkFinalFigures } from './final-figures.ts'
import type { Findings } from './findings.ts'
import type { Monitor } from './monitor.ts'
import { checkPromises } from './promises.ts'
import { checkReceipts } from './receipts.ts'

export type Ending = {
  readonly ground: Ground
  readonly stage: Stage
  readonly monitor: Monitor
  readonly findings: Findings
  readonly db: Pick<Database, 'query'>
  /** With the mistakes of a plant. */
  readonly ports: WorldPorts
}

type Work = Omit<Ending, 'findings' | 'ports'>

/** Returns descriptions of everything that is still under way. */
export async function openWork(ending: Work): Promise<readonly string[]> {
  const { db, ground, stage, monitor } = ending
  // What an address below its books has to send waits permanently.
  const isBelow = (address: string | null): boolean =>
    address !== null && monitor.attempts.isBelowBooks(makeAddress(address))
  const all = await db.query<{ what: string; address: string | null }>(`
    SELECT 'intent ' || derivation_index || ' is ' || status AS what, address FROM payment_intents
    WHERE status IN ('pending', 'underpaid', 'paid', 'overpaid', 'settling', 'refunding')
    UNION ALL SELECT 'halted: ' || reason, address FROM halts WHERE cleared_at IS NULL
    UNION ALL SELECT key || ' waits for a person', source FROM transfers WHERE status = 'held' AND portion = 'rent_reserve'
    UNION ALL SELECT 'refund ' || id || ' is ' || status, NULL FROM refunds
    WHERE ended_at IS NULL OR (status = 'succeeded' AND looked_at < ended_at + interval '1 hour')
    UNION ALL SELECT 'delivery ' || id || ' is pending', NULL FROM webhook_deliveries WHERE status = 'pending'`)
  const rows = all.filter(({ address }) => !isBelow(address))
  const transfers = await db.query<OpenTransfer>(`
    SELECT key, kind, source, asset, reason,
      EXISTS (SELECT FROM transfer_attempts WHERE transfer_id = transfers.id AND resolved_at IS NULL) AS "isSent"
    FROM transfers WHERE status IN ('planned', 'in_progress') ORDER BY key`)
  const open = transfers.filter(({ kind, source, asset, isSent }) => {
    if (isBelow(source)) return false
    // The documented case of a token account that cannot be closed: its content is reported separately.
    const mint = stage.mints.get(makeAsset(asset))
    if (kind !== 'rent' || mint === undefined || isSent) return true
    return finalBalance(ground, { account: holdingPlace(makeAddress(source), mint), asset: mint.mint }) === 0n
  })
  const billing = stage.billing === null ? [] : await openBilling(db)
  const unstopped = await unhalted(ending, await readBooks(db))
  return [
    ...unstopped.map(({ index }) => `intent ${index} is below its books, and not halted`),
    ...rows.map(({ what }) => what),
    ...billing,
    ...open.map(({ key, reason }) => `${key} is open: ${reason ?? ''}`),
  ]
}

type OpenTransfer = {
  readonly key: string
  readonly kind: string
  readonly source: string
  readonly asset: string
  readonly reason: string | null
  /** With an attempt whose result is not known. */
  readonly isSent: boolean
}

export async function checkEnd(ending: Ending): Promise<void> {
  const all = await readBooks(ending.db)
  const { below = [], whole = [] } = Object.groupBy(all.intents, ({ address }) =>
    ending.monitor.attempts.isBelowBooks(address) ? 'below' : 'whole',
  )
  const open = await unhalted(ending, all)
  for (const intent of below)
    ending.findings.check(
      'an address below its books is halted',
      !open.includes(intent),
      () => `intent ${intent.index}`,
    )
  const books = { ...all, intents: whole }
  checkConservation(ending, books)
  await checkPromises(ending, books)
  await checkBusinessRefunds(ending)
  await checkReceipts(ending, books.intents)
  await checkFinalFigures(ending, books, below.length === 0)
  for (const { address, index } of books.intents) ending.monitor.spend.checkAddress(address, `intent ${index}`)
  if (ending.ground.faults.counts['clock off by a day'] === 0) ending.monitor.spend.checkBudgets()
  ending.monitor.spend.checkPayouts()
  ending.monitor.attempts.checkLanded()
  const { billing } = ending.stage
  const { subscriptions } = ending.monitor
  if (billing !== null && subscriptions !== null) await checkBillingEnd({ ...ending, billing, monitor: subscriptions })
  await checkSecrets(ending)
}

/**
 * Returns the addresses below their books that are not halted. Money has left them that their ledger does not know, so a person
 * decides. When exactly as much has arrived since, the balance shows neither, and their transfers wait.
 */
async function unhalted({ db, ground, stage, monitor }: Work, { intents, ledger }: Books) {
  const halted = new Set(
    (await db.query<{ address: string }>('SELECT address FROM halts WHERE cleared_at IS NULL')).map(
      ({ address }) => address,
    ),
  )
  return intents.filter((intent) => {
    if (halted.has(intent.address) || !monitor.attempts.isBelowBooks(intent.address)) return false
    const isHidden = placesOf(stage, intent).every((place) => {
      const own = ledger.filter((entry) => entry.account === place.account && entry.asset === place.asset)
      return sum(own.map(({ delta }) => delta)) === finalBalance(ground, place)
    })
    return !isHidden
  })
}

/** No credential is in any row or in any shown data. */
async function checkSecrets({ db, monitor, findings, ground }: Ending): Promise<void> {
  const tables = ['payment_intents', 'events', 'transfers', 'settings', 'accounts']
  for (const secret of monitor.secrets) {
    for (const table of tables) {
      const [found] = await db.query(`SELECT 1 FROM ${table} t WHERE t::text LIKE '%' || $1 || '%' LIMIT 1`, [secret])
      findings.check('no secret is stored', found === undefined, () => `a client secret in ${table}`)
    }
    const isReported = ground.trace.lines().some((line) => line.includes(secret))
    findings.check('no secret is stored', !isReported, () => 'a client secret in shown data')
  }
}
