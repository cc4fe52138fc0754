// GET /health: whether the service can do its work. It answers in time, even when database, chain or feeds do not.
import type { Network } from '#core/chain/types.ts'
import { msSince, within } from '#lib/time.ts'
import type { Clock } from '#ports/clock.ts'
import type { OperatorStore, WorkerBeat, WorkerStore } from '#ports/operator.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import {
  CLOCK_BEHIND_SECONDS,
  LAG_DEGRADED_SECONDS,
  LAG_DOWN_SECONDS,
  readProgress,
  type ServedNetwork,
  type ServedNetworks,
} from './networks.ts'
import type { Health, HealthCheck } from './platform-services.ts'

// Each instance records every few seconds that it is working. The clock of the database measures how long it is silent.

/** An instance without a beat for longer counts as silent: six beats, one every five seconds. */
const SILENT_AFTER_MS = 30_000
/**
 * After three missed beats, other instances may claim the work of an instance. This is safe even when the instance has only
 * stalled: every write names a fence, and a webhook that is sent twice has the same id.
 */
export const DEAD_AFTER_MS = 15_000
const FORGOTTEN_AFTER_MS = 10 * 60_000

type Heartbeat = {
  beat(): Promise<void>
  /** Records that the instance stops on purpose. */
  stop(): Promise<void>
}

export function createHeartbeat(deps: {
  store: Pick<WorkerStore, 'beat' | 'retire'>
  clock: Clock
  id: string
  role: string
}): Heartbeat {
  const { store, clock, id, role } = deps
  const startedAt = clock.now()
  return {
    beat: () => store.beat({ id, role, startedAt }, FORGOTTEN_AFTER_MS),
    stop: () => store.retire(id),
  }
}

/** Returns whether an instance does the background work; one that only answers requests does not count. */
export const isAnyoneWorking = (workers: readonly WorkerBeat[]): boolean =>
  workers.some(({ role, silentMs }) => role !== 'api' && silentMs <= SILENT_AFTER_MS)

export type HealthDeps = {
  readonly operator: Pick<OperatorStore, 'ping'>
  readonly workers: Pick<WorkerStore, 'list'>
  readonly networks: ServedNetworks
  readonly prices: Pick<PriceSource, 'health'>
  /** Real time. */
  readonly wallClock: Clock
  readonly version: string
}

const CHECK_TIMEOUT_MS = 2_000
/** How long an answer is shared: anyone may call, and each answer costs calls to the chain. */
const FRESH_MS = 1_000

const OK: HealthCheck = { status: 'ok', detail: null }
const degraded = (detail: string): HealthCheck => ({ status: 'degraded', detail })
const down = (detail: string): HealthCheck => ({ status: 'down', detail })

export function createHealth(deps: HealthDeps): () => Promise<Health> {
  let last: { readonly at: number; readonly health: Promise<Health> } | null = null
  return () => {
    const now = deps.wallClock.now().getTime()
    if (last === null || msSince(last.at, now) >= FRESH_MS) last = { at: now, health: examine(deps) }
    return last.health
  }
}

async function examine(deps: HealthDeps): Promise<Health> {
  const [database, chain, workers] = await Promise.all([
    check('the database', () => checkDatabase(deps)),
    checkChains(deps),
    check('the database', () => checkWorkers(deps)),
  ])
  const checks = { database, chain, priceFeed: checkPrices(deps), workers }
  return { status: overall(checks), version: deps.version, checks }
}

/**
 * Returns `down` when payments can be neither accepted nor seen. Without prices or workers the service still answers, and
 * taking it out of service would not help.
 */
function overall(checks: Health['checks']): Health['status'] {
  if (checks.database.status === 'down' || checks.chain.status === 'down') return 'down'
  return Object.values(checks).every(({ status }) => status === 'ok') ? 'ok' : 'degraded'
}

/** Runs a check within the time limit. The caller sees only which part does not answer, not why. */
async function check(whom: string, examine: () => Promise<HealthCheck>): Promise<HealthCheck> {
  const silent = `${whom} does not answer`
  return await within(CHECK_TIMEOUT_MS, silent, examine()).catch(() => down(silent))
}

async function checkDatabase({ operator }: HealthDeps): Promise<HealthCheck> {
  await operator.ping()
  return OK
}

async function checkChains({ networks, wallClock: clock }: HealthDeps): Promise<HealthCheck> {
  const { live, test } = networks
  const [ofLive, ofTest] = await Promise.all([checkChain('live', live, clock), checkChain('test', test, clock)])
  if (ofLive.status !== 'ok') return ofLive
  // Test accounts move no real money, so a failure of their network only degrades the service.
  return ofTest.status === 'down' ? degraded(ofTest.detail ?? '') : ofTest
}

async function checkChain(name: Network, network: ServedNetwork | null, clock: Clock): Promise<HealthCheck> {
  if (network === null) return OK
  return await check(`the ${name} network`, async () => {
    const { lagSeconds, isStalled, clockBehindSeconds } = await readProgress(network, clock)
    if (clockBehindSeconds > CLOCK_BEHIND_SECONDS)
      return degraded(
        `the clock of this machine is ${Math.round(clockBehindSeconds)} seconds behind the ${name} network`,
      )
    if (lagSeconds <= LAG_DEGRADED_SECONDS && !isStalled) return OK
    const behind = `the ${name} network's newest final block is ${Math.round(lagSeconds)} seconds old`
    // A provider recovers by itself; an embedded chain that makes no blocks does not.
    return lagSeconds <= LAG_DOWN_SECONDS && !(isStalled && network.isEmbedded) ? degraded(behind) : down(behind)
  })
}

function checkPrices({ prices }: HealthDeps): HealthCheck {
  const { status, feeds } = prices.health()
  const failing = feeds.filter((feed) => feed.status === 'failing').map(({ name }) => name)
  return { status, detail: failing.length === 0 ? null : `failing: ${failing.join(', ')}` }
}

async function checkWorkers({ workers }: HealthDeps): Promise<HealthCheck> {
  return isAnyoneWorking(await workers.list()) ? OK : down('no worker has reported lately')
}
