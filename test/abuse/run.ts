// Runs one attack after the other against the real service while a shop uses it. Measures the delay for the shop, the
// memory that the attack takes, and its leftovers.

import { type ChildProcess, fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack, Deed, Target } from './attack.ts'
import type { Report, Shop } from './client-process.ts'
import { type AttackedService, createPayment, type Engine, type Left, startAttackedService } from './service.ts'

// Measures the time from the creation of a payment to its first webhook.

/** Both in milliseconds, from the request that creates the payment. */
type HookWait = { readonly hookMs: number; readonly createdMs: number }

type HookProbe = {
  /** Creates a payment a second until the signal aborts. Returns the longest wait when all waits have ended. */
  slowest(signal: AbortSignal): Promise<HookWait>
}

const BETWEEN_MS = 1_000
const MAX_MS = 30_000
/** The result where a payment could not be created. */
const NOT_CREATED: HookWait = { hookMs: MAX_MS, createdMs: MAX_MS }

function createHookProbe({ url, shopKey, receiver }: AttackedService): HookProbe {
  async function waitFor(): Promise<HookWait> {
    const began = performance.now()
    const { id } = await createPayment(url, shopKey)
    const createdMs = performance.now() - began
    const isOurs = (body: string): boolean => body.includes('"intent.created"') && body.includes(id)
    let read = Math.max(0, receiver.received.length - 1_000)
    while (performance.now() - began < MAX_MS) {
      for (; read < receiver.received.length; read += 1) {
        const one = receiver.received[read]
        if (one !== undefined && isOurs(one.body)) return { hookMs: one.at - began, createdMs }
      }
      await sleep(5)
    }
    return { hookMs: MAX_MS, createdMs }
  }
  return {
    async slowest(signal) {
      const waits: Promise<HookWait>[] = []
      while (!signal.aborted) {
        waits.push(waitFor().catch(() => NOT_CREATED))
        await sleep(BETWEEN_MS, undefined, { signal }).catch(() => {})
      }
      const ended = await Promise.all(waits)
      return ended.reduce((one, other) => (other.hookMs > one.hookMs ? other : one))
    },
  }
}

// The processes next to the service: the shop's client, and one for each attack.

/** An attack that does not stop in time is killed. */
const END_WITHIN_MS = 10_000

type Client = {
  /** Events since the last report. */
  report(): Promise<Report>
  stop(): void
}

function startClient(shop: Shop): Client {
  const child = fork(new URL('./client-process.ts', import.meta.url), { stdio: 'inherit' })
  child.send(shop)
  return {
    async report() {
      child.send('report')
      return await answer<Report>(child)
    },
    stop: () => void child.kill(),
  }
}

/** Runs an attack for this time, and ends its process. Returns the report of the attack. */
async function runAttack(name: string, target: Target, ms: number): Promise<Deed> {
  const child = fork(new URL('./attacker-process.ts', import.meta.url), { stdio: 'inherit' })
  const tooLong = setTimeout(() => child.kill('SIGKILL'), ms + END_WITHIN_MS)
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.send({ name, target, ms })
  const deed = await answer<Deed>(child).catch(() => ({ count: 0, did: 'did not stop in time', faults: 0 }))
  clearTimeout(tooLong)
  child.kill('SIGKILL')
  await gone
  return deed
}

function answer<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('the process ended'))
    child.once('exit', onExit)
    child.once('message', (message: T) => {
      child.off('exit', onExit)
      resolve(message)
    })
  })
}

const MIB = 1_048_576

type Pace = {
  /** The shop's requests. */
  readonly perSecond: number
  readonly warmUpMs: number
  readonly beforeMs: number
  readonly duringMs: number
  /** How long memory, places and sockets may take to recover. */
  readonly recoverMs: number
  /** How many payments the attacking tenant has: listing them is an attack. */
  readonly tenantPayments: number
  /** How many payments the shop makes after a garbage collection. */
  readonly shopPayments: number
  /** Whether each attack runs against a new service. */
  readonly isFresh: boolean
}

type Bounds = {
  /** How many times slower the shop's requests may be, relative to `floorMs` at least. */
  readonly slower: number
  readonly floorMs: number
  /** How long a webhook of the shop may take, unless it took more than a fifth of that before. */
  readonly webhookMs: number
  /** Relative to the resident memory before the attack, or `burstBytes` more when that is larger. */
  readonly memoryPeak: number
  readonly burstBytes: number
  /** Relative to the memory kept before the attack, each after a garbage collection. */
  readonly memoryKept: number
}

export const LONG: Pace = {
  perSecond: 20,
  warmUpMs: 8_000,
  beforeMs: 10_000,
  duringMs: 15_000,
  recoverMs: 60_000,
  tenantPayments: 100,
  shopPayments: 200,
  isFresh: true,
}
export const SHORT: Pace = {
  perSecond: 20,
  warmUpMs: 2_000,
  beforeMs: 2_000,
  duringMs: 2_500,
  recoverMs: 30_000,
  tenantPayments: 10,
  shopPayments: 50,
  isFresh: false,
}
export const BOUNDS: Bounds = {
  slower: 5,
  floorMs: 20,
  webhookMs: 1_000,
  memoryPeak: 1.5,
  burstBytes: 192 * MIB,
  memoryKept: 1.1,
}

/** The measurements of one window: times in milliseconds, memory in bytes. */
type Seen = {
  readonly p99: number
  /** The slowest webhook, from the request that created its payment. */
  readonly webhookMs: number
  /** The part of it until that request was answered. */
  readonly createdMs: number
  readonly memory: number
  readonly failures: readonly string[]
}

export type Outcome = {
  readonly name: string
  readonly deed: Deed
  readonly before: Seen
  readonly during: Seen
  readonly keptBefore: number
  readonly keptAfter: number
  /** Leftovers beyond the counts before the attack. */
  readonly left: Left
  /** Seconds until nothing was left and memory had recovered; the limit where this did not happen. */
  readonly recoveredAfter: number
  /** The broken bounds, as sentences. */
  readonly broken: readonly string[]
  /** Those of them that are times of the shop. */
  readonly slow: readonly string[]
}

type Measured = Omit<Outcome, 'broken' | 'slow'>

type Run = {
  readonly pace: Pace
  readonly bounds: Bounds
  readonly engine: Engine
  /** How often an attack is measured while it only makes the shop slower than the bounds: the last one counts. */
  readonly measurements: number
  readonly onOutcome: (outcome: Outcome) => void
}

export async function runAbuse(attacks: readonly Attack[], run: Run): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  const note = (outcome: Outcome): void => {
    outcomes.push(outcome)
    run.onOutcome(outcome)
  }
  if (run.pace.isFresh)
    for (const attack of attacks) await withService(run, async (scene) => note(await measure(attack, scene, run)))
  else {
    await withService(run, async (scene) => {
      for (const attack of attacks) note(await measure(attack, scene, run))
    })
  }
  return outcomes
}

type Scene = { readonly service: AttackedService; readonly client: Client; readonly hooks: HookProbe }

async function withService({ pace, engine }: Run, work: (scene: Scene) => Promise<void>): Promise<void> {
  await using cleanup = new AsyncDisposableStack()
  const service = await startAttackedService(pace.tenantPayments, engine)
  cleanup.defer(() => service.stop())
  const { index } = await createPayment(service.url, service.shopKey)
  const { port } = service.target
  const client = startClient({ port, apiKey: service.shopKey, index, perSecond: pace.perSecond })
  cleanup.defer(() => client.stop())
  const hooks = createHookProbe(service)
  await sleep(pace.warmUpMs)
  await work({ service, client, hooks })
}

const measure = (attack: Attack, scene: Scene, run: Run): Promise<Outcome> =>
  againIfOnlySlow(() => meet(attack, scene, run), run.measurements)

/** Never measures again what was left or failed: a second measurement would begin with it, and not count it. */
export async function againIfOnlySlow<One extends Pick<Outcome, 'broken' | 'slow'>>(
  meetOnce: () => Promise<One>,
  measurements: number,
): Promise<One> {
  for (let measurement = 1; ; measurement += 1) {
    const outcome = await meetOnce()
    const isOnlySlow = outcome.slow.length > 0 && outcome.slow.length === outcome.broken.length
    if (!isOnlySlow || measurement >= measurements) return outcome
  }
}

async function meet(attack: Attack, scene: Scene, { pace, bounds }: Run): Promise<Outcome> {
  const { service } = scene
  const keptBefore = await service.memoryKept()
  await service.work(pace.shopPayments)
  await scene.client.report()
  const before = await watch(scene, () => sleep(pace.beforeMs))
  const target = { ...service.target, from: newAddress() }
  const leftBefore = await service.left(target.from)
  let deed: Deed = { count: 0, did: '', faults: 0 }
  const during = await watch(scene, async () => {
    deed = await runAttack(attack.name, target, pace.duringMs)
  })
  const { keptAfter, left, recoveredAfter } = await recover(scene, pace, target.from, {
    memory: keptBefore * bounds.memoryKept,
    left: leftBefore,
  })
  const seen = { name: attack.name, deed, before, during, keptBefore, keptAfter, left, recoveredAfter }
  const slow = slowBy(seen, bounds)
  return { ...seen, slow, broken: [...slow, ...brokenBy(seen, bounds)] }
}

/**
 * Returns a random address, which hardly anything has used before: on Linux all of 127.0.0.0/8 are this machine. With thousands of closed
 * connections of an earlier measurement, the system looks for a free port of their address for longer than an attack takes.
 */
const newAddress = (): string => `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`

const SAMPLE_MS = 100

/** Measures while `work` runs. */
async function watch({ service, client, hooks }: Scene, work: () => Promise<unknown>): Promise<Seen> {
  let memory = service.memory()
  const sampling = setInterval(() => {
    memory = Math.max(memory, service.memory())
  }, SAMPLE_MS)
  const ended = new AbortController()
  const probing = hooks.slowest(ended.signal)
  await work().finally(() => clearInterval(sampling))
  ended.abort()
  // The shop's requests count until the last webhook: whatever delays that may delay them as well.
  const { hookMs, createdMs } = await probing
  const { latencies, failures } = await client.report()
  return { p99: p99(latencies), webhookMs: hookMs, createdMs, memory, failures }
}

/** The result for a service that does not answer or has ended. */
const UNKNOWN: Left = { streams: Number.NaN, websockets: Number.NaN, sockets: Number.NaN }

const BETWEEN_LOOKS_MS = 1_000

/** Waits until nothing is left, up to the limit. The shop's requests continue. */
async function recover(
  { service }: Scene,
  { recoverMs }: Pace,
  from: string,
  wanted: { readonly memory: number; readonly left: Left },
): Promise<Pick<Outcome, 'keptAfter' | 'left' | 'recoveredAfter'>> {
  const began = performance.now()
  for (;;) {
    const now = await service.left(from).catch(() => UNKNOWN)
    const left = {
      streams: Math.max(0, now.streams - wanted.left.streams),
      websockets: Math.max(0, now.websockets - wanted.left.websockets),
      sockets: Math.max(0, now.sockets - wanted.left.sockets),
    }
    const keptAfter = await service.memoryKept()
    // Returns false while a value is unknown.
    const isOver = left.streams + left.websockets + left.sockets === 0 && keptAfter <= wanted.memory
    const took = performance.now() - began
    if (isOver || took > recoverMs) return { keptAfter, left, recoveredAfter: took / 1_000 }
    await sleep(BETWEEN_LOOKS_MS)
  }
}

function slowBy({ before, during }: Pick<Measured, 'before' | 'during'>, bounds: Bounds): readonly string[] {
  const slowest = bounds.slower * Math.max(before.p99, bounds.floorMs)
  const slowestHook = Math.max(bounds.webhookMs, bounds.slower * before.webhookMs)
  const hook = `a webhook took ${during.webhookMs.toFixed(0)} ms, more than ${slowestHook.toFixed(0)}`
  const parts = `${during.createdMs.toFixed(0)} ms of it to create the payment`
  return [
    ...(during.p99 > slowest ? [`p99 above ${slowest.toFixed(0)} ms`] : []),
    ...(during.webhookMs > slowestHook ? [`${hook}; ${parts}`] : []),
  ]
}

export function brokenBy(
  { deed, before, during, keptBefore, keptAfter, left }: Measured,
  bounds: Bounds,
): readonly string[] {
  const [peak, kept] = [during.memory / before.memory, keptAfter / keptBefore]
  const mostMemory = Math.max(bounds.memoryPeak * before.memory, before.memory + bounds.burstBytes)
  const leftovers = Object.entries(left).filter(([, count]) => !(count === 0))
  return [
    ...(during.failures.length > 0
      ? [`${during.failures.length} requests of the shop failed: ${during.failures[0]}`]
      : []),
    ...(deed.count === 0 ? ['the attack did nothing'] : []),
    ...(deed.faults > 0 ? [`${deed.faults} replies were 500`] : []),
    ...(during.memory > mostMemory ? [`memory grew ${peak.toFixed(2)} times`] : []),
    ...(kept > bounds.memoryKept ? [`memory stays at ${kept.toFixed(2)} times`] : []),
    ...leftovers.map(([what, count]) => `${Number.isNaN(count) ? 'unknown' : count} ${what} left`),
  ]
}

function p99(latencies: readonly number[]): number {
  const sorted = latencies.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0
}
