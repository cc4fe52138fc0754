import { beforeEach, describe, expect, it } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { ServiceError } from '#core/errors.ts'
import type { WorkerBeat } from '#ports/operator.ts'
import { createHealth } from '#services/platform/health.ts'
import {
  createStallTimer,
  probeNetworks,
  type ServedNetwork,
  type ServedNetworks,
} from '#services/platform/networks.ts'
import type { Health } from '#services/platform/platform-services.ts'
import type { PriceHealth } from '#services/prices/price-source.ts'

const START = new Date('2026-11-20T10:00:00Z')
const never = () => new Promise<never>(() => {})

let now: Date
let pings: number
let ping: () => Promise<void>
let blockAge: { live: number; test: number }
let chain: () => Promise<void>
let slot: bigint
let workers: WorkerBeat[]
let prices: PriceHealth

const network = (name: 'live' | 'test', isEmbedded = false): ServedNetwork => ({
  genesisHash: name,
  feePayer: makeAddress('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'),
  isEmbedded,
  stallTimer: createStallTimer({ now: () => now }),
  chain: {
    async blockTime() {
      if (name === 'live') await chain()
      return { slot, time: new Date(now.getTime() - blockAge[name] * 1_000) }
    },
    readAccounts: () => Promise.reject(new Error('not expected here')),
    countProviders: () => Promise.reject(new Error('not expected here')),
    rpc: { health: () => [], calls: new Map() },
    pace: () => Promise.reject(new Error('not expected here')),
  },
})
const feed = (name: string, status: 'ok' | 'failing') =>
  ({ name, status, lastSuccessAt: null, lastFailureAt: null, lastError: 'http://secret.example' }) as const
const beat = (role: string, secondsAgo: number): WorkerBeat => ({
  id: role,
  role,
  startedAt: START,
  lastSeenAt: START,
  silentMs: secondsAgo * 1_000,
})

let health: () => Promise<Health>
beforeEach(() => {
  now = START
  pings = 0
  ping = async () => {}
  chain = async () => {}
  blockAge = { live: 13, test: 13 }
  workers = [beat('all', 5)]
  prices = { status: 'ok', feeds: [feed('pyth', 'ok')] }
  slot = 7n
  health = healthOf({ live: network('live'), test: network('test') })
})

const healthOf = (networks: ServedNetworks) =>
  createHealth({
    operator: {
      ping() {
        pings += 1
        return ping()
      },
    },
    workers: { list: async () => workers },
    networks,
    prices: { health: () => prices },
    wallClock: { now: () => now },
    version: '1.2.3',
  })
const pass = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1_000)
}

describe('health', () => {
  it('is ok when everything answers', async () => {
    const ok = { status: 'ok', detail: null }
    expect(await health()).toEqual({
      status: 'ok',
      version: '1.2.3',
      checks: { database: ok, chain: ok, priceFeed: ok, workers: ok },
    })
  })

  it('is down when the database is, in good time even if it never answers', async () => {
    ping = () => Promise.reject(new Error('ECONNREFUSED 10.0.0.7'))
    expect(await health()).toMatchObject({ status: 'down', checks: { database: { status: 'down' } } })
    now = new Date(START.getTime() + 5_000)
    ping = never
    const asked = performance.now()
    expect(await health()).toMatchObject({ status: 'down' })
    expect(performance.now() - asked).toBeLessThan(4_000)
  })

  it('is down when the live network does not answer or stands still', async () => {
    chain = () => Promise.reject(new ServiceError('chain_unavailable'))
    expect(await health()).toMatchObject({ status: 'down', checks: { chain: { status: 'down' } } })
    chain = async () => {}
    blockAge.live = 301
    now = new Date(START.getTime() + 5_000)
    expect(await health()).toMatchObject({ status: 'down' })
  })

  it.each([
    [
      'the live network is behind',
      () => {
        blockAge.live = 61
      },
      'chain',
    ],
    [
      'the test network is down',
      () => {
        blockAge.test = 10_000
      },
      'chain',
    ],
    [
      'no price feed works',
      () => {
        prices = { status: 'down', feeds: [feed('pyth', 'failing')] }
      },
      'priceFeed',
    ],
    [
      'one price feed fails',
      () => {
        prices = { status: 'degraded', feeds: [feed('pyth', 'failing')] }
      },
      'priceFeed',
    ],
    [
      'no worker has reported lately',
      () => {
        workers = [beat('all', 31)]
      },
      'workers',
    ],
    [
      'only instances that answer requests are at work',
      () => {
        workers = [beat('api', 1)]
      },
      'workers',
    ],
  ] as const)('is degraded, and still answers, when %s', async (_case, happens, check) => {
    happens()
    const { status, checks } = await health()
    expect(status).toBe('degraded')
    expect(
      Object.entries(checks)
        .filter(([, { status }]) => status !== 'ok')
        .map(([name]) => name),
    ).toEqual([check])
  })

  it('counts the silence of workers by the clock of the database, whatever the clock of this machine is', async () => {
    workers = [{ ...beat('all', 5), lastSeenAt: new Date(START.getTime() - 3_600_000) }]
    expect(await health()).toMatchObject({ checks: { workers: { status: 'ok' } } })
  })

  it('shows nothing of the inside', async () => {
    ping = () => Promise.reject(new Error('password authentication failed for user "pay"'))
    chain = () => Promise.reject(new Error('https://rpc.example/?api-key=hush'))
    prices = { status: 'down', feeds: [feed('pyth', 'failing')] }
    expect(JSON.stringify(await health())).not.toMatch(/password|hush|secret/)
  })

  it('is asked of the chain and the database at most once a second, however many ask', async () => {
    await Promise.all(Array.from({ length: 20 }, health))
    now = new Date(START.getTime() + 999)
    await health()
    expect(pings).toBe(1)
    now = new Date(START.getTime() + 1_000)
    await health()
    expect(pings).toBe(2)
  })

  it.each([
    [false, 'degraded'],
    [true, 'down'],
  ])(
    'reports a chain that answers and makes nothing final (embedded: %s), on the first call too',
    async (own, status) => {
      const networks = { live: network('live', own), test: null }
      health = healthOf(networks)
      for (let looks = 0; looks < 4; looks += 1) {
        await probeNetworks(networks, { now: () => now })
        pass(10)
      }
      const { checks } = await health()
      expect(checks.chain).toEqual({ status, detail: "the live network's newest final block is 40 seconds old" })
      slot = 8n
      pass(1)
      expect((await health()).checks.chain.status).toBe('ok')
    },
  )

  it('is degraded when the clock of the machine is more than half a minute behind the chain', async () => {
    blockAge.live = -30
    expect((await health()).status).toBe('ok')
    pass(1)
    blockAge.live = -31
    const detail = 'the clock of this machine is 31 seconds behind the live network'
    expect((await health()).checks.chain).toEqual({ status: 'degraded', detail })
  })

  it('is no worse when the clock of the embedded chain is moved', async () => {
    health = healthOf({ live: network('live', true), test: null })
    blockAge.live = 86_500
    expect((await health()).status).toBe('ok')
  })
})
