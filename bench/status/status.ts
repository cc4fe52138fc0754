// GET /status through its GraphQL document, against the same route that calls the service directly and shapes its answer
// by hand: from the socket to the JSON, everything else is one and the same.
import { randomBytes, randomUUID } from 'node:crypto'
import { openDatabase } from '#adapters/prisma/engine/database.ts'
import { createIntentStore } from '#adapters/prisma/payments/payment-store.ts'
import { tenantOf } from '#core/accounts/account.ts'
import { addressOfBytes } from '#core/chain/public-key.ts'
import { SOL } from '#core/chain/types.ts'
import { makeUsdCents } from '#core/money/amounts.ts'
import { type Duel, duel } from '../harness/duel.ts'
import { get } from '../harness/load.ts'
import { openShop, type Shop } from '../harness/shop.ts'
import { openWorkplace, type Workplace } from '../harness/workplace.ts'
import type { BenchResult } from '../result.ts'

const INTENTS = 200
const CONNECTIONS = 32

export async function benchStatus(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  const place = await openWorkplace()
  try {
    progress(`starting PostgreSQL ${place.postgres.version}, and each server twice`)
    const url = await place.postgres.createDatabase('status')
    const shop = await openShop(url)
    const paths = (await openIntents(url, shop)).map((index) => `/status?index=${index}`)
    const withReads = await fight(place, { reads: 'postgres', url, shop, paths, progress })
    const edgeAlone = await fight(place, { reads: 'none', url, shop, paths, progress })
    return [
      resultOf('GET /status through its document', withReads),
      resultOf('GET /status through its document, nothing read', edgeAlone),
    ]
  } finally {
    await place.close()
  }
}

/** Pending intents whose buyer chose SOL: the status that is asked for most, with a payment link in it. */
async function openIntents(url: string, { accountId }: Shop): Promise<readonly number[]> {
  const db = await openDatabase({ kind: 'postgresql', url, poolSize: 2 })
  try {
    const store = createIntentStore(db)
    const indexes = await store.reserveIndexes(INTENTS)
    const now = new Date()
    for (const index of indexes) {
      await store.create(tenantOf({ id: accountId, network: 'live' }), {
        id: randomUUID(),
        accountId,
        derivationIndex: index,
        address: addressOfBytes(randomBytes(32)),
        clientSecretHash: randomBytes(32),
        createdBy: null,
        priceUsdCents: makeUsdCents(2_500),
        acceptedAssets: [SOL],
        reference: `order-${index}`,
        expiresAt: new Date(now.getTime() + 600_000),
        marketplaceFeeBps: null,
        underpaymentToleranceBps: null,
        payeeLabel: 'Corner Shop',
        customerDetails: null,
        orderDetails: null,
        metadata: null,
        createdAt: now,
      })
    }
    await db.query(`UPDATE payment_intents SET asset = 'SOL', asset_decimals = 9, expected_amount = 166666667`)
    return indexes
  } finally {
    await db.close()
  }
}

type Fight = {
  readonly reads: 'postgres' | 'none'
  readonly url: string
  readonly shop: Shop
  readonly paths: readonly string[]
  readonly progress: (line: string) => void
}

async function fight(place: Workplace, { reads, url, shop, paths, progress }: Fight): Promise<Duel> {
  const start = async (executor: 'document' | 'by_hand') => {
    const env = { DATABASE_URL: url, EXECUTOR: executor, READS: reads }
    const server = await place.startServer(`${executor}-${reads}`, 'bench/status/server.ts', env)
    return { ...server, requests: paths.map((path) => get(path, shop.apiKey)) }
  }
  const [ours, baseline] = [await start('document'), await start('by_hand')]
  const answers = await Promise.all([ours, baseline].map(({ port }) => bodyAt(port, paths[0] ?? '', shop)))
  if (answers[0] !== answers[1]) throw new Error(`the two ways answer differently:\n${answers.join('\n')}`)
  progress(reads === 'none' ? 'the edge alone' : 'with its reading from PostgreSQL')
  try {
    return await duel({ load: place.load, ours, baseline, connections: CONNECTIONS, rounds: 5, seconds: 2, progress })
  } finally {
    await Promise.all([ours.stop(), baseline.stop()])
  }
}

const bodyAt = async (port: number, path: string, { apiKey }: Shop): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${apiKey}` } })).text()

const resultOf = (name: string, { throughput, p99 }: Duel): BenchResult => ({
  name,
  ...throughput,
  unit: 'requests/s',
  target: { atLeast: 0.75 },
  detail: `p99 ${p99.ours.toFixed(1)} ms through the document, ${p99.baseline.toFixed(1)} ms by hand`,
})
