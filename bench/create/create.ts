// POST /intents with all its work, against express and one raw insert of the same row. Both over HTTP, on one PostgreSQL
// that keeps what it acknowledges.
import { join } from 'node:path'
import { newMnemonic } from '#adapters/solana/keys/seed.ts'
import { duel } from '../harness/duel.ts'
import { startIdleNode } from '../harness/idle-node.ts'
import { jsonPost } from '../harness/load.ts'
import { openShop, type Shop } from '../harness/shop.ts'
import { openWorkplace, type Workplace } from '../harness/workplace.ts'
import type { BenchResult } from '../result.ts'

const CONNECTIONS = 64

export async function benchCreate(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  await using cleanup = new AsyncDisposableStack()
  const place = await openWorkplace()
  cleanup.defer(() => place.close())
  progress(`starting PostgreSQL ${place.postgres.version}, fsync and synchronous_commit on, and both servers`)
  const node = await startIdleNode()
  cleanup.defer(() => node.stop())
  const ours = await startService(place, node.url)
  const baseline = await startBaseline(place)
  const { throughput, p50, p99 } = await duel({
    load: place.load,
    ours,
    baseline,
    connections: CONNECTIONS,
    rounds: 7,
    seconds: 3,
    progress,
  })
  const detail = `${CONNECTIONS} connections; p50 ${p50.ours.toFixed(1)} ms, baseline ${p50.baseline.toFixed(1)} ms`
  return [
    { name: 'POST /intents', ...throughput, unit: 'creates/s', target: { atLeast: 2 }, detail },
    { name: 'POST /intents, p99', ...p99, unit: 'ms', target: { atMost: 1 }, detail: 'lower is better' },
  ]
}

/** Returns the program that `npm start` runs, as an API instance of a larger deployment, with its log on. */
async function startService(place: Workplace, rpcUrl: string) {
  const url = await place.postgres.createDatabase('service')
  const shop = await openShop(url)
  const server = await place.startServer('service', 'src/main.ts', {
    DATABASE_URL: url,
    DATA_DIR: join(place.directory, 'service'),
    SOLANA_RPC_URL: rpcUrl,
    MASTER_SEED: newMnemonic(),
    PRICE_FEEDS: 'fixed:SOL=150,USDC=1',
    RATE_LIMITS: '0',
    ROLE: 'api',
  })
  return { ...server, requests: requestsOf(shop) }
}

async function startBaseline(place: Workplace) {
  const url = await place.postgres.createDatabase('baseline')
  const shop = await openShop(url)
  const env = { DATABASE_URL: url, ACCOUNT_ID: shop.accountId }
  const server = await place.startServer('baseline', 'bench/create/baseline-server.ts', env)
  return { ...server, requests: requestsOf(shop) }
}

/** Each with a reference of its own: nothing is a repeat. */
const requestsOf = ({ mint, apiKey }: Shop): readonly string[] => [
  jsonPost(
    '/intents',
    {
      amount_usd_cents: 2_500,
      accepted_tokens: [{ kind: 'sol' }, { kind: 'spl', mint }],
      reference: 'order-############',
    },
    apiKey,
  ),
]
