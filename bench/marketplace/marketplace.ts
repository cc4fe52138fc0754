// What a marketplace asks over HTTP with 1,000,000 payments for 10,000 sellers in a year, against the same with 10,000 payments
// for 100 sellers. Both on one PostgreSQL, each with its own database and its own instance of the service.
import { join } from 'node:path'
import { newMnemonic } from '#adapters/solana/keys/seed.ts'
import { ROUTES } from '#rest/routes.ts'
import { median } from '../harness/duel.ts'
import { startIdleNode } from '../harness/idle-node.ts'
import { openShop } from '../harness/shop.ts'
import { openWorkplace, type Workplace } from '../harness/workplace.ts'
import type { BenchResult } from '../result.ts'
import { seedMarketplace, sellerId } from './seed.ts'

const LARGE = 1_000_000
const SMALL = 10_000
/** Sellers grow with the payments. The first one has every tenth payment besides. */
const PAYMENTS_OF_A_SELLER = 100
const MAX_GROWTH = 1.2
const WARM_UP = 30
const ROUNDS = 301

const START = new Date('2025-11-20T07:03:00.000Z')
const YEAR = 'from=2025-11-20T07:03:00Z&to=2026-11-20T07:03:00Z'
const STATS = '/marketplace/stats'
const PAYMENTS = '/marketplace/payments'
/** The seller with most payments. */
const BUSY = `seller_id=${sellerId(0)}`

/** Each request by its name. One whose route does not exist is left out. */
const REQUESTS: Readonly<Record<string, string>> = {
  'summary of a year': `${STATS}/summary?${YEAR}`,
  'summary of 90 days': `${STATS}/summary?from=2026-08-20T11:11:11Z&to=2026-11-18T11:11:11Z`,
  'days of a year in UTC': `${STATS}/timeseries?${YEAR}`,
  'days of a year in Kolkata': `${STATS}/timeseries?${YEAR}&timezone=Asia/Kolkata`,
  'hours of 40 days in New York': `${STATS}/timeseries?from=2026-10-08T00:00:00Z&to=2026-11-17T00:00:00Z&interval=hour&timezone=America/New_York`,
  'a page of payments': `${PAYMENTS}?limit=20`,
  'a page of swept payments of half a year': `${PAYMENTS}?limit=20&status=swept&from=2025-12-01T00:00:00Z&to=2026-06-01T00:00:00Z`,
  'a search for a buyer of two payments': `${PAYMENTS}?limit=20&search=0004711@example.com`,
  'a search for a reference': `${PAYMENTS}?limit=20&search=order-0009421`,
  'a search for a first name of many': `${PAYMENTS}?limit=20&search=first17`,
  'a search that finds nothing': `${PAYMENTS}?limit=20&search=no-payment-has-this`,
  'a page of payments of two statuses': `${PAYMENTS}?limit=20&status=swept,refunded`,
  'a page of payments of the busiest seller': `${PAYMENTS}?limit=20&${BUSY}`,
  'two payments of a rare status of the busiest seller': `${PAYMENTS}?limit=2&status=refunded&${BUSY}`,
  'a search for a first name of many in a rare status': `${PAYMENTS}?limit=1&search=first17&status=refunded`,
  'summary of a year of the busiest seller': `${STATS}/summary?${YEAR}&${BUSY}`,
  'days of a year of the busiest seller': `${STATS}/timeseries?${YEAR}&${BUSY}`,
  'a page of the audit trail': '/marketplace/audit?limit=20',
  'a page of the audit trail of the busiest seller': `/marketplace/audit?limit=20&${BUSY}`,
  'a search for a seller': '/marketplace/sellers?limit=20&search=seller-000042',
  'a search that every seller matches': '/marketplace/sellers?limit=20&search=seller',
  'a page of sellers': '/marketplace/sellers?limit=20',
}

type Side = { readonly port: number; readonly apiKey: string }

export async function benchMarketplace(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  await using cleanup = new AsyncDisposableStack()
  const place = await openWorkplace()
  cleanup.defer(() => place.close())
  const node = await startIdleNode()
  cleanup.defer(() => node.stop())
  // Both services start when all is written, so that neither has run longer than the other.
  const write = async (payments: number): Promise<Written> => {
    progress(`writing ${payments.toLocaleString('en')} payments`)
    return await writeDatabase(place, payments)
  }
  const written = { small: await write(SMALL), large: await write(LARGE) }
  const small = await startService(place, written.small, node.url)
  const large = await startService(place, written.large, node.url)
  const paths = new Set(ROUTES.map(({ path }) => path))
  const results: BenchResult[] = []
  for (const [name, path] of Object.entries(REQUESTS)) {
    if (paths.has(path.split('?')[0] ?? '')) results.push(await compare(name, path, large, small, progress))
    else progress(`${name}: there is no such route yet`)
  }
  return results
}

/** Asks both in turns, so that the rest of the machine meets both alike. */
async function compare(
  name: string,
  path: string,
  large: Side,
  small: Side,
  progress: (line: string) => void,
): Promise<BenchResult> {
  for (let round = 0; round < WARM_UP; round += 1) await Promise.all([ask(large, path), ask(small, path)])
  const times: { readonly ours: number; readonly baseline: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const isOursFirst = round % 2 === 0
    const first = await ask(isOursFirst ? large : small, path)
    const second = await ask(isOursFirst ? small : large, path)
    times.push(isOursFirst ? { ours: first, baseline: second } : { ours: second, baseline: first })
  }
  const ours = median(times.map((one) => one.ours))
  const baseline = median(times.map((one) => one.baseline))
  progress(`${name}: ${ours.toFixed(1)} ms, ${baseline.toFixed(1)} ms`)
  return {
    name,
    ours,
    baseline,
    unit: 'ms',
    ratio: ours / baseline,
    target: { atMost: MAX_GROWTH },
    detail: `median of ${ROUNDS}, ${LARGE.toLocaleString('en')} payments against ${SMALL.toLocaleString('en')}, and a seller for each ${PAYMENTS_OF_A_SELLER}`,
  }
}

/** Returns how long the whole reply took, in ms. */
async function ask({ port, apiKey }: Side, path: string): Promise<number> {
  const started = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${apiKey}` } })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text}`)
  return performance.now() - started
}

type Written = { readonly name: string; readonly url: string; readonly apiKey: string }

async function writeDatabase(place: Workplace, payments: number): Promise<Written> {
  const name = `marketplace_${payments}`
  const url = await place.postgres.createDatabase(name)
  const shop = await openShop(url)
  await seedMarketplace(url, shop, { payments, sellers: payments / PAYMENTS_OF_A_SELLER, start: START })
  return { name, url, apiKey: shop.apiKey }
}

async function startService(place: Workplace, { name, url, apiKey }: Written, rpcUrl: string): Promise<Side> {
  const { port } = await place.startServer(name, 'src/main.ts', {
    DATABASE_URL: url,
    DATA_DIR: join(place.directory, name),
    SOLANA_RPC_URL: rpcUrl,
    MASTER_SEED: newMnemonic(),
    PRICE_FEEDS: 'fixed:SOL=150,USDC=1',
    RATE_LIMITS: '0',
    ROLE: 'api',
  })
  return { port, apiKey }
}
