// Charges from the moment at which they are due until they have landed: the real service on Solana's own runtime and a real
// PostgreSQL. Next to it, the same signed transactions are sent to another chain without any service.
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, address, type Base64EncodedWireTransaction, createSolanaRpc } from '@solana/kit'
import { forEachParallel } from '#lib/parallel.ts'
import { SLOT_MS } from '../../test/simulator/chain/chain.ts'
import { startCounter } from '../harness/counter.ts'
import { median } from '../harness/duel.ts'
import { startSvmNode } from '../harness/svm-node.ts'
import { until } from '../harness/until.ts'
import type { Workplace } from '../harness/workplace.ts'
import type { BenchResult } from '../result.ts'
import { countBooked, makeDue, openPlace, type Place, type SignedCharge, signedCharges, type Wave } from './place.ts'
import { UNIT } from './seed.ts'

// Waiting for charges to land.

const LOOK_EVERY_MS = 50

/** The part of a charge that the business gets, in base units. */
const NET = (UNIT * 99n) / 100n

/** Returns how many charges have landed on the chain, by what the business has got. */
async function countLanded(rpcUrl: string, payoutAta: Address): Promise<number> {
  const config = { commitment: 'finalized', encoding: 'base64' } as const
  const { value } = await createSolanaRpc(rpcUrl).getAccountInfo(payoutAta, config).send()
  if (value === null) throw new Error('the business has no token account')
  return Number(Buffer.from(value.data[0], 'base64').readBigUInt64LE(64) / NET)
}

/** Resolves with the time (`performance.now()`) at which so many charges have landed in all. */
async function untilLanded(rpcUrl: string, payoutAta: Address, count: number): Promise<number> {
  await until(async () => (await countLanded(rpcUrl, payoutAta)) >= count, LOOK_EVERY_MS)
  return performance.now()
}

const CLOCK_SYSVAR = address('SysvarC1ock11111111111111111111111111111111')

/** Resolves with the time (`performance.now()`) at which the clock of the chain, of a confirmed block, has reached a time. */
async function untilReached(rpcUrl: string, time: Date): Promise<number> {
  const rpc = createSolanaRpc(rpcUrl)
  const config = { commitment: 'finalized', encoding: 'base64' } as const
  await until(async () => {
    const { value } = await rpc.getAccountInfo(CLOCK_SYSVAR, config).send()
    if (value === null) throw new Error('the chain has no clock')
    return Number(Buffer.from(value.data[0], 'base64').readBigInt64LE(32)) * 1_000 >= time.getTime()
  }, LOOK_EVERY_MS)
  return performance.now()
}

// The bare submission of charges that the service has signed: the same bytes, to another chain that is as it was before them.

/** As many requests as a round of the service has under way. */
const AT_ONCE = 16

/** Returns how many of them landed a second, from the first request to the last landing. */
async function submitBare(place: Place, charges: readonly SignedCharge[]): Promise<number> {
  const chain = await startSvmNode([place.feePayer], place.accounts)
  try {
    const rpc = createSolanaRpc(chain.rpcUrl)
    const wires = charges.map(({ wire }) => Buffer.from(wire).toString('base64') as Base64EncodedWireTransaction)
    const began = performance.now()
    await forEachParallel(wires, AT_ONCE, async (wire) => {
      await rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send()
    })
    const landedAt = await untilLanded(chain.rpcUrl, place.payoutAta, charges.length)
    return (charges.length * 1_000) / (landedAt - began)
  } finally {
    chain.stop()
  }
}

const WAVE = 256
const ROUNDS = 5
/** Until the code has been compiled for its work, the service is another one. */
const WARM_UPS = 3
const BACKLOG = 4 * WAVE
/**
 * Each wave is due at a whole second: periods begin at block times, which are whole seconds. A charge is due when a confirmed block
 * has reached its period. The time of that block is up to a second and two slots behind the machine's.
 */
const DUE_EVERY_MS = 1_000
/** The connections of a new service are open after this time. */
const SETTLED_MS = 5_000

export async function benchCharging(
  workplace: Workplace,
  progress: (line: string) => void,
): Promise<readonly BenchResult[]> {
  await using cleanup = new AsyncDisposableStack()
  let next = 1
  const wave = (count: number): Wave => {
    next += count
    return { first: next - count, count }
  }
  const [backlog, counted] = [wave(BACKLOG), wave(WAVE)]
  const warmUps = Array.from({ length: WARM_UPS }, () => wave(WAVE))
  const waves = Array.from({ length: ROUNDS }, () => wave(WAVE))
  progress(`starting a chain with ${next - 1} subscribers, and the service`)
  const place = await openPlace(workplace, next - 1, cleanup)
  const { rates, sustained } = await measureSpeed(place, { warmUps, waves, backlog }, progress)
  progress(`${WAVE} charges with their calls counted`)
  return [...speedResults(rates, sustained), callsResult(await countCalls(place, counted))]
}

/** Charges a second by the service: since the clock of the chain has reached their period, and since that of the machine has. */
type Speed = { readonly sinceReached: number; readonly sinceDue: number }
/** The same with the charges a second by themselves. */
type Rates = Speed & { readonly baseline: number }
type Waves = { readonly warmUps: readonly Wave[]; readonly waves: readonly Wave[]; readonly backlog: Wave }

async function measureSpeed(place: Place, { warmUps, waves, backlog }: Waves, progress: (line: string) => void) {
  const service = await place.start(place.chain.rpcUrl)
  try {
    progress('warming up')
    for (const one of warmUps) await charge(place, one)
    const rates: Rates[] = []
    for (const one of waves) {
      const ours = await charge(place, one)
      const baseline = await submitBare(place, await signedCharges(place, one))
      const [reached, due] = [ours.sinceReached.toFixed(0), ours.sinceDue.toFixed(0)]
      progress(`${WAVE} charges: ${reached} a second, ${due} with the wait, by themselves ${baseline.toFixed(0)}`)
      rates.push({ ...ours, baseline })
    }
    const { sinceReached: sustained } = await charge(place, backlog)
    progress(`${BACKLOG} charges: ${sustained.toFixed(0)} a second`)
    return { rates, sustained }
  } finally {
    await service.close()
  }
}

/** Returns how many charges of the wave landed a second. Resolves after all of them are booked. */
async function charge(place: Place, wave: Wave): Promise<Speed> {
  const { chain, payoutAta } = place
  const before = await countLanded(chain.rpcUrl, payoutAta)
  const dueAt = new Date((Math.floor(Date.now() / DUE_EVERY_MS) + 2) * DUE_EVERY_MS)
  await makeDue(place, wave, dueAt)
  await sleep(dueAt.getTime() - Date.now())
  const dueSince = performance.now()
  const reachedSince = await untilReached(chain.rpcUrl, dueAt)
  const landedAt = await untilLanded(chain.rpcUrl, payoutAta, before + wave.count)
  await until(async () => (await countBooked(place, wave)) === wave.count)
  const since = (began: number): number => (wave.count * 1_000) / (landedAt - began)
  return { sinceReached: since(reachedSince), sinceDue: since(dueSince) }
}

/** Returns the RPC calls by method from due to booked, with everything else that the service asks meanwhile. */
async function countCalls(place: Place, wave: Wave): Promise<ReadonlyMap<string, number>> {
  const counter = await startCounter(place.chain.rpcUrl)
  const service = await place.start(counter.url)
  try {
    await sleep(SETTLED_MS)
    counter.counts.clear()
    await charge(place, wave)
    return new Map(counter.counts)
  } finally {
    await service.close()
    counter.stop()
  }
}

function speedResults(rates: readonly Rates[], sustained: number): readonly BenchResult[] {
  const baseline = median(rates.map((one) => one.baseline))
  const speed = (of: keyof Speed) => ({
    unit: 'charges/s',
    baseline,
    ours: median(rates.map((one) => one[of])),
    ratio: median(rates.map((one) => one[of] / one.baseline)),
  })
  const common = speed('sinceReached')
  const detail = `${ROUNDS} times ${WAVE} charges; slots of ${SLOT_MS} ms, with chain, database and service on one machine; load ${loadavg()[0]?.toFixed(1)}`
  return [
    { ...common, name: 'charges from due to landed, against their bare submission', target: { atLeast: 0.6 }, detail },
    {
      ...speed('sinceDue'),
      name: 'the same with the wait for the clock of the chain, charges a second',
      target: { atLeast: 50 },
      judged: 'ours',
      detail,
    },
    {
      ...common,
      name: `${BACKLOG.toLocaleString('en')} charges due at once`,
      ours: sustained,
      ratio: sustained / baseline,
      target: { atLeast: 150 },
      judged: 'ours',
      detail: 'each of another wallet',
    },
  ]
}

function callsResult(counts: ReadonlyMap<string, number>): BenchResult {
  const calls = [...counts.values()].reduce((sum, count) => sum + count, 0) / WAVE
  const methods = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([method, count]) => `${method} ${(count / WAVE).toFixed(2)}`)
  return {
    name: 'RPC calls for each charge',
    ours: calls,
    baseline: null,
    unit: 'calls',
    ratio: calls,
    target: { atMost: 3 },
    detail: `${WAVE} at once, everything else that the service asks meanwhile included: ${methods.join(', ')}`,
  }
}
