import { beforeEach, describe, expect, it } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { ServiceError } from '#core/errors.ts'
import { makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import type { CostlySubjects } from '#core/transfers/budget.ts'
import type { DepositSourceState } from '#ports/deposit-sources.ts'
import type { ListedTransfer, OperatorStore, WorkerStore } from '#ports/operator.ts'
import { createHeartbeat } from '#services/platform/health.ts'
import type { ServedNetwork } from '#services/platform/networks.ts'
import { createPlatformServices, platformFacts, type Rearm } from '#services/platform/platform.ts'
import type { PlatformServices } from '#services/platform/platform-services.ts'
import { exampleBillingStatus } from '../../support/example-billing.ts'
import { only } from '../../support/only.ts'

const ID = '6f1c2a52-8a9d-4b57-9a35-2b1f5f3f8f10'
const WALLET = makeAddress('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin')
const MINT = makeAddress('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
const NOW = new Date('2026-11-20T10:00:00Z')
const MOVED = new Date('2026-12-20T10:00:00Z')

const held: ListedTransfer = {
  id: ID,
  key: 'sweep:intent:7:1',
  portion: 'main',
  sourceAccount: null,
  network: 'live',
  kind: 'sweep',
  accountId: ID,
  subject: { kind: 'payment', id: ID },
  source: WALLET,
  authority: { address: WALLET, key: { network: 'live', branch: 'deposit', account: 1, intent: 7 } },
  asset: 'SOL',
  decimals: 9,
  tokenProgram: null,
  round: 1,
  legs: [],
  moved: [],
  status: 'held',
  reason: 'The account is frozen.',
  fence: 1n,
  attemptCount: 2,
  signature: null,
  createdAt: NOW,
  plannedVersion: 1,
  doneAt: null,
  intentIndex: 7,
}
const counts = {
  openIntents: 3,
  unfinishedTransfers: 1,
  waitingTransfers: 0,
  longestWaiting: null,
  failedTransfers: 0,
  heldTransfers: 0,
  stuckIntents: 0,
  haltedAddresses: 0,
  setAsidePayments: 0,
  firstSetAside: null,
  disabledEndpoints: 0,
}

let stored: ListedTransfer | null
let order: string[]
let since: Date
let rearm: Rearm[string]
let chainAnswers: boolean
let mintProblem: () => Promise<string | null>
const found: DepositSourceState = {
  source: 'blocks',
  reason: 'polling would cost 600 calls a minute, blocks 160',
  since: NOW,
  cursor: { slot: 5n, blockhash: 'BLOCK', savedAt: NOW },
  noticeCallsPerMinute: 50,
  pollingCallsPerMinute: 600,
  blockCallsPerMinute: 160,
  noticedAccounts: 190,
  watchedAccounts: 200,
}
let comparison: unknown
let costly: CostlySubjects | null
let services: PlatformServices

const live: ServedNetwork = {
  genesisHash: 'GENESIS',
  feePayer: WALLET,
  isEmbedded: false,
  stallTimer: () => 0,
  chain: {
    async blockTime() {
      if (!chainAnswers) throw new ServiceError('chain_unavailable')
      return { slot: 7n, time: new Date(NOW.getTime() - 12_500) }
    },
    readAccounts: async () => ({
      slot: 7n,
      states: [{ lamports: makeLamports(5_000_000_000n), ownerProgram: WALLET, token: null }],
    }),
    countProviders: async () => ({ configured: 1, answering: 1 }),
    rpc: { health: () => [{ provider: 1, faults: 0, resting: false, latencyMs: 12.5, failures: 3 }], calls: new Map() },
    pace: async () => ({ consensus: 'alpenglow', slotMs: 204.4, finalAfterSlots: 1 }),
  },
}

beforeEach(() => {
  stored = held
  order = []
  comparison = null
  costly = null
  chainAnswers = true
  mintProblem = async () => null
  rearm = async ({ id, subject }) => {
    order.push(`rearm ${id} with ${subject.id}`)
    stored = { ...held, status: 'planned', reason: null }
  }
  services = createPlatformServices({
    facts: platformFacts({
      genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
      networkFee: makeLamports(5_000n),
      platformFeeBps: makeBasisPoints(100),
      maxMarketplaceFeeBps: makeBasisPoints(5_000),
    }),
    operator: only<OperatorStore>('operator', {
      queues: async () => [],
      async counts({ waitingSince }) {
        since = waitingSince
        return counts
      },
      transfers: async () => [held],
      transfer: async () => stored,
    }),
    workers: { list: async () => [{ id: ID, role: 'all', startedAt: NOW, lastSeenAt: NOW, silentMs: 0 }] },
    settings: { read: async (key) => (key === 'reconciler:live' ? comparison : null) },
    sources: { read: async (network) => (network === 'live' ? found : null) },
    networks: { live, test: null },
    transfers: {
      spendOf: async () => ({ ofSubject: 0n, lastHour: 0n, lastDay: 0n }),
      costlySubjects: async (spender, least) => (spender.now === MOVED && least === 16n ? costly : null),
    },
    refundBudget: { perSubject: makeLamports(20n), perHour: makeLamports(1n), perDay: makeLamports(1n) },
    billingStatus: async () => ({ ...exampleBillingStatus, problems: ['A setting of billing.'] }),
    prices: { health: () => ({ status: 'ok', feeds: [] }) },
    directory: {
      tokens: async () =>
        new Map(
          [true, false].map((enabled) => [
            enabled ? 'SOL' : MINT,
            {
              network: 'live',
              asset: enabled ? 'SOL' : MINT,
              mint: MINT,
              isNative: enabled,
              name: 'Solana',
              ticker: enabled ? 'SOL' : 'OLD',
              decimals: 9,
              tokenProgram: null,
              extensions: [],
              feedKey: 'SOL',
              imageName: null,
              enabled,
            },
          ]),
        ),
    },
    mintGuard: { problemOf: () => mintProblem() },
    priceProblem: async ({ ticker }) => `No price for ${ticker}.`,
    rearm: { payment: (transfer) => rearm(transfer) },
    wallClock: { now: () => NOW },
    clock: { now: () => MOVED },
    version: '1.2.3',
  })
})

describe('the platform', () => {
  it('names the live cluster, the window and the events of GET /config', () => {
    const facts = services.facts()
    expect(facts).toMatchObject({
      cluster: 'mainnet-beta',
      checkoutWindowSeconds: 600,
      networkFeeLamports: 5_000n,
      platformFeeBps: 100,
      maxMarketplaceFeeBps: 5_000,
    })
    expect(facts.webhookEventTypes).toContain('intent.swept')
  })
})

describe('the operator’s status', () => {
  it('tells what is served, who works, what is open, and which allowed token has no price', async () => {
    expect(await services.operatorStatus()).toEqual({
      networks: {
        live: {
          genesisHash: 'GENESIS',
          feePayer: WALLET,
          feePayerLamports: 5_000_000_000n,
          slot: 7n,
          lagSeconds: 12.5,
          isStalled: false,
          clockBehindSeconds: -12.5,
          providers: { configured: 1, answering: 1 },
          providerHealth: [{ provider: 1, faults: 0, resting: false, latencyMs: 12.5, failures: 3 }],
          pace: { consensus: 'alpenglow', slotMs: 204.4, finalAfterSlots: 1 },
          deposits: found,
        },
        test: null,
      },
      workers: [{ id: ID, role: 'all', startedAt: NOW, lastSeenAt: NOW, silentMs: 0 }],
      openIntents: 3,
      unfinishedTransfers: 1,
      queues: [],
      refunds: [expect.objectContaining({ network: 'live' })],
      billing: { ...exampleBillingStatus, problems: ['A setting of billing.'] },
      alerts: ['No price for SOL.', 'A setting of billing.'],
    })
  })

  it('names each token whose mint refuses payments, and does without while the chain does not answer', async () => {
    mintProblem = async () => 'takes a transfer fee'
    expect((await services.operatorStatus()).alerts).toContainEqual(
      expect.stringMatching(
        /^No payment can be made in SOL on the live network.* its mint takes a transfer fee\..*token disallow/,
      ),
    )
    mintProblem = () => Promise.reject(new Error('no provider answers'))
    expect((await services.operatorStatus()).alerts).toEqual(['No price for SOL.', 'A setting of billing.'])
  })

  it('says when the ledger was not compared with the chain for long', async () => {
    comparison = { afterIndex: 3, ranAt: new Date(NOW.getTime() - 600_000).toISOString() }
    expect((await services.operatorStatus()).alerts).toEqual(['No price for SOL.', 'A setting of billing.'])
    comparison = { afterIndex: 3, ranAt: new Date(NOW.getTime() - 660_000).toISOString() }
    expect((await services.operatorStatus()).alerts).toContainEqual(expect.stringContaining('11 minutes ago'))
  })

  it('asks for what waits since a quarter of an hour by the clock that it was planned by', async () => {
    await services.operatorStatus()
    expect(since).toEqual(new Date(MOVED.getTime() - 900_000))
  })

  it('names the payment whose refunds have cost at least four fifths of what they may', async () => {
    costly = { count: 1, first: { id: ID, cost: 16n } }
    expect((await services.operatorStatus()).alerts).toContainEqual(expect.stringContaining(`for payment ${ID}.`))
  })

  it('is shown although a chain does not answer', async () => {
    chainAnswers = false
    const status = await services.operatorStatus()
    expect(status).toMatchObject({ networks: { live: null }, openIntents: 3 })
    expect(status.alerts[0]).toMatch(/^The live network cannot be reached/)
  })
})

describe('retrying a transfer', () => {
  const refusal = (code: string) => expect.objectContaining({ code })

  it('of a payment is planned again together with what the payment says of it', async () => {
    expect(await services.retryTransfer(ID)).toMatchObject({ id: ID, status: 'planned', reason: null, intentIndex: 7 })
    expect(order).toEqual([`rearm ${ID} with ${held.subject.id}`])
  })

  it.each(['planned', 'in_progress', 'done'] as const)(
    'that is %s is refused, and nothing is touched',
    async (status) => {
      stored = { ...held, status }
      await expect(services.retryTransfer(ID)).rejects.toEqual(refusal('transfer_not_retryable'))
      expect(order).toEqual([])
    },
  )

  it('of a subject that cannot take it up is refused', async () => {
    stored = { ...held, subject: { kind: 'unknown', id: ID }, intentIndex: null }
    await expect(services.retryTransfer(ID)).rejects.toEqual(refusal('transfer_not_retryable'))
    expect(order).toEqual([])
  })

  it('is refused when the payment cannot take it up, and then the transfer stays as it is', async () => {
    rearm = () => Promise.reject(new ServiceError('transfer_not_retryable'))
    await expect(services.retryTransfer(ID)).rejects.toEqual(refusal('transfer_not_retryable'))
    expect(order).toEqual([])
  })

  it('that does not exist is not found, whatever its id looks like', async () => {
    stored = null
    await expect(services.retryTransfer(ID)).rejects.toEqual(refusal('transfer_not_found'))
    await expect(services.retryTransfer('7')).rejects.toEqual(refusal('transfer_not_found'))
  })

  it('lists them as the operator reads them', async () => {
    const [listed] = await services.transfers({ status: null, limit: 20 })
    expect(listed).toMatchObject({ id: ID, attempts: 2, status: 'held', reason: 'The account is frozen.' })
    expect(listed).not.toHaveProperty('sourceAccountIndex')
  })
})

describe('a heartbeat', () => {
  it('says since when the instance works, and lets those be forgotten that fell silent long ago', async () => {
    let now = NOW
    const beats: Parameters<WorkerStore['beat']>[] = []
    const retired: string[] = []
    const store = {
      beat: async (...given: Parameters<WorkerStore['beat']>) => void beats.push(given),
      retire: async (id: string) => void retired.push(id),
    }
    const heartbeat = createHeartbeat({ store, clock: { now: () => now }, id: ID, role: 'worker' })
    now = new Date(NOW.getTime() + 5_000)
    await heartbeat.beat()
    expect(beats).toEqual([[{ id: ID, role: 'worker', startedAt: NOW }, 600_000]])
    await heartbeat.stop()
    expect(retired).toEqual([ID])
  })
})
