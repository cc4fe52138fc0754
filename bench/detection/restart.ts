// A restart with 100,000 open intents on a real PostgreSQL: how soon blocks are searched for all of them again, and whether
// what was paid meanwhile is found.
import { randomBytes, randomUUID } from 'node:crypto'
import { createDepositSourceStore } from '#adapters/prisma/detection/deposit-source-store.ts'
import { type Database, openDatabase } from '#adapters/prisma/engine/database.ts'
import { applyMigrations } from '#adapters/prisma/engine/migrate.ts'
import { createIntentWorkStore } from '#adapters/prisma/payments/change-store.ts'
import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import { openWorkplace } from '../harness/workplace.ts'
import type { BenchResult } from '../result.ts'
import { blockhashOf, createBlockMaker } from './mainnet-block.ts'
import { MINT, openDetection } from './network.ts'
import { type RpcServer, startRpcServer } from './rpc-server.ts'

const INTENTS = 100_000
const AT_ONCE = 5_000
const CURSOR = 5_000
/** Ten seconds of mainnet without a watcher. */
const AWAY_SLOTS = 25
const PAID_PER_BLOCK = 8
const ROUNDS = 3

export async function benchRestart(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  await using cleanup = new AsyncDisposableStack()
  progress(`PostgreSQL with ${INTENTS.toLocaleString('en')} open intents`)
  const workplace = await openWorkplace()
  cleanup.defer(() => workplace.close())
  const url = await workplace.postgres.createDatabase('restart')
  const db = await openDatabase({ kind: 'postgresql', url })
  cleanup.defer(() => db.close())
  await applyMigrations(db)
  const addresses = await insertIntents(db)
  const rpc = await startRpcServer(CURSOR)
  cleanup.defer(async () => rpc.stop())
  const paid = payMeanwhile(rpc, addresses)

  progress(`${ROUNDS} restarts by blocks, and one by addresses`)
  const rounds: Restart[] = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await restart(db, rpc.url, 'blocks', paid))
  const polled = await restart(db, rpc.url, 'polling', paid)
  const [best] = rounds.sort((a, b) => a.watchingMs - b.watchingMs)
  if (best === undefined) throw new Error('nothing was measured')
  return [
    {
      name: 'a restart with 100,000 open intents watches again',
      ours: best.watchingMs / 1_000,
      baseline: polled.watchingMs / 1_000,
      unit: 's',
      ratio: best.watchingMs / polled.watchingMs,
      target: { atMost: 2 },
      judged: 'ours',
      detail: `in the worst of ${ROUNDS} ${seconds(Math.max(...rounds.map(({ watchingMs }) => watchingMs)))}; ${AWAY_SLOTS} blocks later, after ${seconds(best.caughtUpMs)}, all is read; the baseline has read each address once`,
    },
    {
      name: 'payments missed by it',
      ours: Math.max(...rounds.map(({ missed }) => missed)),
      baseline: null,
      unit: 'payments',
      ratio: Math.max(...rounds.map(({ missed }) => missed)),
      target: { atMost: 0 },
      detail: `of ${paid.size} made without a watcher`,
    },
  ]
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

type Restart = { readonly watchingMs: number; readonly caughtUpMs: number; readonly missed: number }

/** From nothing in memory to everything read that was missed. */
async function restart(
  db: Database,
  rpcUrl: string,
  fixed: DepositSourceKind,
  paid: ReadonlySet<string>,
): Promise<Restart> {
  const sources = createDepositSourceStore(db)
  await db.query('DELETE FROM deposit_sources')
  const calls = {
    noticeCallsPerMinute: 0,
    pollingCallsPerMinute: 0,
    blockCallsPerMinute: 0,
    noticedAccounts: 0,
    watchedAccounts: 0,
  }
  const now = new Date()
  await sources.saveChoice('live', { source: fixed, reason: '', since: now, ...calls })
  await sources.saveCursor('live', { slot: BigInt(CURSOR), blockhash: blockhashOf(CURSOR) }, now)
  const found = new Set<string>()
  const began = performance.now()
  const { detection, final, close } = openDetection({
    rpcUrl,
    now: () => new Date(),
    sources,
    intents: createIntentWorkStore(db),
    fixed,
    takeIn: async (intentId) => void found.add(intentId),
  })
  try {
    await detection.reload()
    if (fixed === 'polling') await detection.runOnce()
    const watchingMs = performance.now() - began
    final(BigInt(CURSOR + AWAY_SLOTS))
    while (fixed === 'blocks' && (await detection.scan()).again) final(BigInt(CURSOR + AWAY_SLOTS))
    return {
      watchingMs,
      caughtUpMs: performance.now() - began,
      missed: fixed === 'polling' ? 0 : [...paid].filter((intent) => !found.has(intent)).length,
    }
  } finally {
    await close()
  }
}

/** Made evenly over the ten minutes that they are open for, but for the last three: those are looked at one by one. */
async function insertIntents(db: Database): Promise<ReadonlyMap<string, string>> {
  const account = randomUUID()
  await db.query(`INSERT INTO accounts (id, network, name, updated_at) VALUES ($1::uuid, 'live', 'Shop', now())`, [
    account,
  ])
  const maker = createBlockMaker(11)
  const addresses = new Map<string, string>()
  for (let made = 0; made < INTENTS; made += AT_ONCE) {
    const rows = Array.from({ length: AT_ONCE }, () => ({ id: randomUUID(), address: maker.freshAddress() }))
    for (const { id, address } of rows) addresses.set(id, address)
    await db.query(
      `INSERT INTO payment_intents (id, network, account_id, caller_account_id, address, client_secret_hash,
         price_usd_cents, accepted_assets, payee_label, expires_at, created_at)
       SELECT asked.id, 'live', $1::uuid, $1::uuid, asked.address, asked.hash, 1999, ARRAY['SOL', $2], 'Shop',
         now() + interval '5 minutes', now() - interval '5 minutes'
       FROM unnest($3::uuid[], $4::text[], $5::bytea[]) AS asked(id, address, hash)`,
      [account, MINT, rows.map(({ id }) => id), rows.map(({ address }) => address), rows.map(() => randomBytes(32))],
    )
  }
  await db.query('ANALYZE payment_intents')
  return addresses
}

/** Answers with the intents that were paid. */
function payMeanwhile(rpc: RpcServer, addresses: ReadonlyMap<string, string>): ReadonlySet<string> {
  const paid = new Set<string>()
  const list = [...addresses]
  for (let block = 1; block <= AWAY_SLOTS; block += 1) {
    const some = Array.from({ length: PAID_PER_BLOCK }, (_, at) => list[(block * PAID_PER_BLOCK + at) * 397]).filter(
      (one) => one !== undefined,
    )
    rpc.pay(
      CURSOR + block,
      some.map(([, to]) => ({ to, lamports: 1_000_000 })),
    )
    for (const [id] of some) paid.add(id)
  }
  rpc.advance(CURSOR + AWAY_SLOTS, new Date(Date.now() - 13_000))
  return paid
}
