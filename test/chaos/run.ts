// Kills one of four processes under load again and again. Reports the outcome of the payments and the longest waits.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { LEASE_MS } from '#services/transfers/advance.ts'
import { type Course, type Customers, createCustomers, KINDS } from './customers.ts'
import { startFleet } from './fleet.ts'
import { judge, openMarket, walletProblems } from './market.ts'
import { openBusiness, raiseStage } from './stage.ts'

// Measures how long work that is due waits, by queries of the database at an interval.

const LOOK_EVERY_MS = 500

// A worker with a claim is at work. When the lease is still there long after the claim, the worker is dead.
const MAX_LENGTH = `
  SELECT coalesce(max(extract(epoch FROM now() - since)), 0)::float8 AS seconds FROM (
    SELECT coalesce(lease_until - $1 * interval '1 millisecond', next_attempt_at) AS since
    FROM transfers WHERE status IN ('planned', 'in_progress')
  ) AS work`
const OPEN = `
  SELECT (SELECT count(*) FROM transfers WHERE status IN ('planned', 'in_progress'))::int
       + (SELECT count(*) FROM payment_intents WHERE status NOT IN ('swept', 'refunded', 'cancelled'))::int AS open`
const TWICE = `
  SELECT count(*)::int AS twice FROM (
    SELECT transfer_id FROM transfer_attempts WHERE state = 'final_ok' GROUP BY transfer_id HAVING count(*) > 1
  ) AS paid`

export type Watch = {
  /** The longest wait of work that was due, in seconds. */
  longestSeconds(): number
  /** The number of transfers and payments that have not ended. */
  open(): Promise<number>
  /** The number of transfers for which more than one transaction landed. */
  paidTwice(): Promise<number>
  stop(): Promise<void>
}

async function watchWork(databaseUrl: string): Promise<Watch> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  let longest = 0
  let stopped = false
  const first = async <T>(query: string, values: readonly unknown[] = []): Promise<T> =>
    (await client.query(query, [...values])).rows[0]
  const looking = (async () => {
    while (!stopped) {
      const { seconds } = await first<{ seconds: number }>(MAX_LENGTH, [LEASE_MS])
      longest = Math.max(longest, seconds)
      await sleep(LOOK_EVERY_MS)
    }
  })()
  return {
    longestSeconds: () => longest,
    open: async () => (await first<{ open: number }>(OPEN)).open,
    paidTwice: async () => (await first<{ twice: number }>(TWICE)).twice,
    async stop() {
      stopped = true
      await looking
      await client.end()
    },
  }
}

export type Options = {
  readonly kills: number
  /** The longest time between two kills; the mean is half of it. */
  readonly betweenMs: number
  readonly paymentEveryMs: number
  readonly seed: number
  readonly say: (line: string) => void
}

export type Outcome = {
  readonly kills: Readonly<Record<string, number>>
  readonly seconds: number
  readonly courses: readonly Course[]
  /** Sentences about faults; empty for a correct run. */
  readonly problems: readonly string[]
  readonly audit: string
  readonly longestWaitSeconds: number
  readonly slowestStartSeconds: number
}

const END_WITHIN_MS = 180_000

export async function runChaos(options: Options): Promise<Outcome> {
  const { say } = options
  await using cleanup = new AsyncDisposableStack()
  say('starting PostgreSQL, a chain, an API and three workers')
  const stage = await raiseStage()
  cleanup.defer(() => stage.stop())
  const fleet = await startFleet(stage.settings)
  cleanup.defer(() => fleet.stop())
  const market = await openMarket(stage, await openBusiness(stage))
  const customers = createCustomers(stage, market)
  const watch = await watchWork(stage.databaseUrl)
  cleanup.defer(() => watch.stop())
  const began = performance.now()
  const kills: Record<string, number> = { api: 0, worker: 0 }
  const random = randomFrom(options.seed)

  const load = startLoad(customers, options)
  for (let number = 1; number <= options.kills; number += 1) {
    await sleep(random() * options.betweenMs)
    const role = fleet.killOne(random)
    kills[role] = (kills[role] ?? 0) + 1
    if (number % 10 === 0) say(`${number} kills, ${load.ended()} of ${load.begun()} payments have ended`)
  }
  await fleet.ready()
  const courses = await load.end()
  const deadline = performance.now() + END_WITHIN_MS
  while ((await watch.open()) > 0 && performance.now() < deadline) await sleep(500)
  const longestWaitSeconds = watch.longestSeconds()
  const audit = await stage.operator('audit', '--network', 'live')
  const problems = [
    ...fleet.lost.map((words) => `a process ended unexpectedly: ${words}`),
    ...((await watch.open()) > 0 ? [`${await watch.open()} payments or transfers have not ended`] : []),
    ...((await watch.paidTwice()) > 0 ? [`${await watch.paidTwice()} transfers were paid twice`] : []),
    ...(audit.code === 0 ? [] : [`the audit is not clean: ${audit.errors} ${audit.printed}`]),
    ...courses.flatMap(judge),
    ...(await walletProblems(stage, market, courses)),
  ]
  return {
    kills,
    seconds: (performance.now() - began) / 1_000,
    courses,
    problems,
    audit: audit.printed,
    longestWaitSeconds,
    slowestStartSeconds: Math.max(...fleet.starts) / 1_000,
  }
}

/** Starts a payment of each kind in each asset, for the business and for its seller in turn, until it is stopped. */
function startLoad(customers: Customers, { paymentEveryMs }: Options) {
  const under: Promise<Course>[] = []
  let ended = 0
  let stopped = false
  const begin = (): void => {
    const number = under.length
    const kind = KINDS[Math.floor(number / customers.assets.length / 2) % KINDS.length]
    const asset = customers.assets[number % customers.assets.length]
    if (kind === undefined || asset === undefined) throw new Error('there are no kinds')
    const course = customers.follow(number, kind, asset, number % 2 === 1)
    // The caller of `end` receives the failure. The handler prevents an unhandled rejection before.
    course.catch(() => {})
    course.finally(() => (ended += 1)).catch(() => {})
    under.push(course)
  }
  const loop = (async () => {
    while (!stopped) {
      begin()
      await sleep(paymentEveryMs)
    }
  })()
  return {
    begun: () => under.length,
    ended: () => ended,
    async end(): Promise<readonly Course[]> {
      stopped = true
      await loop
      return await Promise.all(under)
    },
  }
}

function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  // Mulberry32: a seed repeats the choice of processes and moments.
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
