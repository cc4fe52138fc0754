// An allowance that its owner removes, among 100,000 delegations: how long until the service has noticed it, and the RPC calls
// that the regular reading costs. The job is the service's own, on a real PostgreSQL. Its clock moves at the pace of the job.
import { random } from '#adapters/node/random.ts'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import { createDelegationStore } from '#adapters/prisma/billing/delegation-store.ts'
import { type Database, openDatabase } from '#adapters/prisma/engine/database.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { buildBilling } from '#compose/billing-work.ts'
import type { Address } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { BalanceReader, Chain } from '#ports/chain.ts'
import { FINAL_AFTER, SLOT_MS } from '../../test/simulator/chain/chain.ts'
import { account } from '../../test/support/charge.ts'
import { only } from '../../test/support/only.ts'
import type { Workplace } from '../harness/workplace.ts'
import type { BenchResult } from '../result.ts'
import { ALLOWANCE, openBusiness, ownerOf, seedSubscriptions } from './seed.ts'

const DELEGATIONS = 100_000
const ACCOUNTS_PER_CALL = 100
const MOST_SECONDS = 600
/** The schedule wakes the job as often. A round that takes longer is followed by the next one at once. */
const ROUND_EVERY_MS = 5_000
/** The rounds of one course over all delegations, 2,000 each. */
const COURSE_ROUNDS = DELEGATIONS / 2_000
/** From the landing of a transaction until it is final. The job reads what is final. */
const FINAL_MS = Number(FINAL_AFTER.alpenglow) * SLOT_MS
const START = new Date('2026-11-20T12:00:00.000Z')
const DUE = new Date('2026-12-10T12:00:00.000Z')

export async function benchNoticing(
  workplace: Workplace,
  progress: (line: string) => void,
): Promise<readonly BenchResult[]> {
  await using cleanup = new AsyncDisposableStack()
  progress(`writing ${DELEGATIONS.toLocaleString('en')} delegations`)
  const url = await workplace.postgres.createDatabase('noticing')
  const db = await openDatabase({ kind: 'postgresql', url })
  cleanup.defer(() => db.close())
  const { seconds, rounds, longestMs, calls, accounts } = await notice(db, await openReadings(url, db))
  const floor = Math.ceil(accounts / ACCOUNTS_PER_CALL)
  progress(`noticed after ${seconds.toFixed(0)} s, ${rounds} rounds and ${calls} calls`)
  return [
    {
      name: 'a removed allowance among 100,000 delegations is noticed',
      ours: seconds,
      baseline: null,
      unit: 's',
      ratio: seconds,
      target: { atMost: MOST_SECONDS },
      detail: `in the worst case: it is final just after it was read, ${FINAL_MS / 1_000} s after it landed; the longest of ${rounds} rounds took ${(longestMs / 1_000).toFixed(1)} s`,
    },
    {
      name: 'RPC calls until then',
      ours: calls,
      baseline: floor,
      unit: 'calls',
      ratio: calls / floor,
      target: { atMost: 1.1 },
      detail: `${Math.round(calls / (seconds / 60))} a minute; baseline: full calls of ${ACCOUNTS_PER_CALL} accounts`,
    },
  ]
}

type Read = { readonly calls: number; readonly accounts: number }

type Readings = {
  readonly chain: BalanceReader
  readonly keys: ReturnType<typeof createDepositKeys>
  readonly now: () => number
  readonly pass: (ms: number) => void
  readonly revoke: (tokenAccount: Address) => void
  /** In all until now. */
  readonly read: () => Read
}

/** Writes delegations that have all been read, each 2,000 of them 5 seconds after the ones before. */
async function openReadings(url: string, db: Database): Promise<Readings> {
  const keys = createDepositKeys(new Uint8Array(64).fill(29))
  const delegate = keys.addressOf({ network: 'live', branch: 'delegate' })
  const { tier, mint } = await openBusiness(url, db)
  await seedSubscriptions(db, tier, { count: DELEGATIONS, dueFrom: DUE, apartMs: 0, delegate })
  await db.query(READ_IN_TURNS, [START, ROUND_EVERY_MS])
  await db.session(({ script }) => script('VACUUM ANALYZE delegations'))
  let now = START.getTime()
  let read: Read = { calls: 0, accounts: 0 }
  const revoked = new Set<Address>()
  return {
    keys,
    now: () => now,
    pass: (ms) => {
      now += ms
    },
    revoke: (tokenAccount) => void revoked.add(tokenAccount),
    read: () => read,
    chain: {
      async readAccounts(accounts) {
        const calls = Math.ceil(accounts.length / ACCOUNTS_PER_CALL)
        read = { calls: read.calls + calls, accounts: read.accounts + accounts.length }
        const allowed = { mint, amount: ALLOWANCE, allowance: ALLOWANCE }
        const states = accounts.map((one) =>
          account(ownerOf(one), { ...allowed, delegate: revoked.has(one) ? null : delegate }),
        )
        return { slot: BigInt(Math.floor(now / SLOT_MS)), states }
      },
    },
  }
}

const READ_IN_TURNS = `
UPDATE delegations SET chain_checked_at = $1::timestamptz - $2::int * interval '1 millisecond'
  * (1 + replace(substr(wallet, 6), 'x', '0')::bigint * 7919 % ${COURSE_ROUNDS})`

/** Removes an allowance that the first round has just read, and runs rounds until its subscription is stopped. */
async function notice(db: Database, readings: Readings) {
  let longestMs = 0
  const round = async (): Promise<void> => {
    const began = performance.now()
    await runDelegationsJob(db, readings)
    const tookMs = performance.now() - began
    longestMs = Math.max(longestMs, tookMs)
    readings.pass(Math.max(tookMs, ROUND_EVERY_MS))
  }
  await round()
  const [removed] = await db.query<{ id: string; token_account: Address }>(
    'SELECT id, token_account FROM delegations ORDER BY chain_checked_at DESC LIMIT 1',
  )
  if (removed === undefined) throw new Error('nothing was read')
  readings.revoke(removed.token_account)
  const before = readings.read()
  let rounds = 0
  while (!(await isStopped(db, removed.id))) {
    if (rounds > 3 * COURSE_ROUNDS) throw new Error('it was not noticed')
    await round()
    rounds += 1
  }
  // The clock is at the end of the round that has noticed it.
  const seconds = (readings.now() - START.getTime() + FINAL_MS) / 1_000
  const { calls, accounts } = readings.read()
  return { seconds, rounds, longestMs, calls: calls - before.calls, accounts: accounts - before.accounts }
}

async function isStopped(db: Database, delegationId: string): Promise<boolean> {
  const stopped = `SELECT 1 FROM billing_subscriptions WHERE delegation_id = $1::uuid AND status = 'revoked'`
  return (await db.query(stopped, [delegationId])).length > 0
}

/** Runs one round of the job as the service builds it. */
async function runDelegationsJob(db: Database, { chain, keys, now }: Readings): Promise<void> {
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const { jobs } = buildBilling(
    {
      billing: createBillingStore(db),
      delegations: createDelegationStore(db),
      approvals: only('approvals', {}),
      checkouts: only('checkouts', {}),
      transfers: only('transfers', {}),
      keys,
      afterFailover: async () => ({ waits: null, lostBefore: null }),
      sponsorLamportsPerBusiness: makeLamports(500_000_000),
      clock: { now: () => new Date(now()) },
      random,
      sleep: () => Promise.reject(new Error('this job waits for nothing')),
      onError,
    },
    { network: 'live', chain: only<Chain>('chain', chain) },
    { lead: async () => ({ leads: true, took: false }), resign: async () => {} },
    onError,
  )
  const job = jobs.find(({ kind }) => kind === 'delegations')
  if (job === undefined) throw new Error('there is no such job')
  job.wake()
  await job.stop()
  if (errors.length > 0) throw errors[0]
}
