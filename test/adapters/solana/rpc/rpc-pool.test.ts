import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createChain } from '#adapters/solana/chain.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { createPaceReader, createSlotTimer } from '#adapters/solana/rpc/pace.ts'
import type { Question } from '#adapters/solana/rpc/provider.ts'
import { ProviderFault } from '#adapters/solana/rpc/provider-fault.ts'
import { createRpcPool } from '#adapters/solana/rpc/rpc-pool.ts'
import { type Answers, deadUrl, movableClock, startFakeProvider } from '../fake-provider.ts'

describe('a pool of providers', () => {
  const slot = (value: number): Answers => ({ getSlot: { result: value } })
  const getSlot: Question<bigint> = ({ rpc, abortSignal }) => rpc.getSlot().send({ abortSignal })

  /** Long enough for a busy machine. `HASTY` is for tests in which a provider hangs. */
  const PATIENT = 10_000
  const HASTY = 600

  const poolOf = (...all: Answers[]) => makePool(PATIENT, all)
  const hastyPoolOf = (...all: Answers[]) => makePool(HASTY, all)

  async function makePool(timeoutMs: number, all: readonly Answers[]) {
    const clock = movableClock()
    const providers = await Promise.all(all.map((answers) => startFakeProvider(answers)))
    const pool = createRpcPool({ urls: providers.map(({ url }) => url), clock, timeoutMs, waitMs: 450 })
    return { pool, clock, providers, asked: () => providers.map((provider) => provider.asked.length) }
  }

  test('only the first provider is asked while it is healthy', async () => {
    const { pool, asked } = await poolOf(slot(1), slot(2))
    expect(await pool.ask('getSlot', getSlot)).toBe(1n)
    expect(await pool.ask('getSlot', getSlot)).toBe(1n)
    expect(asked()).toEqual([2, 0])
  })

  test('health has how long answers took lately, and each failure since the start', async () => {
    const { pool, clock } = await poolOf(slot(1))
    expect(pool.health()).toMatchObject([{ latencyMs: null, failures: 0 }])
    const answerAfter = (ms: number) =>
      pool.ask('getSlot', async () => {
        clock.advance(ms)
        return 1n
      })
    await answerAfter(100)
    expect(pool.health()).toMatchObject([{ latencyMs: 100, failures: 0 }])
    await answerAfter(200)
    expect(pool.health()).toMatchObject([{ latencyMs: 120, failures: 0 }])
    const fail = () => pool.ask('getSlot', () => Promise.reject(new ProviderFault('failed')))
    await expect(fail()).rejects.toThrow()
    await expect(fail()).rejects.toThrow()
    await answerAfter(120)
    expect(pool.health()).toMatchObject([{ latencyMs: 120, failures: 2, faults: 0 }])
  })

  const TROUBLES: Record<string, Answers> = {
    'hangs beyond the timeout': { getSlot: 'hang' },
    'answers 500': { getSlot: { http: 500 } },
    'is rate limited': { getSlot: { http: 429 } },
    'is rate limited inside a 200': { getSlot: { error: { code: -32429, message: 'slow down' } } },
    'answers text that is not JSON': { getSlot: { http: 200, body: '<html>hello</html>' } },
    'reports that it is unhealthy': { getSlot: { error: { code: -32005, message: 'Node is behind', data: {} } } },
    'lacks the method': { getSlot: { error: { code: -32601, message: 'Method not found' } } },
  }

  test.each(Object.entries(TROUBLES))('the next provider takes over from a provider that %s', async (_, answers) => {
    const { pool, asked } = await hastyPoolOf(answers, slot(2))
    expect(await pool.ask('getSlot', getSlot)).toBe(2n)
    expect(asked()).toEqual([1, 1])
    // It is asked first from then on.
    expect(await pool.ask('getSlot', getSlot)).toBe(2n)
    expect(asked()).toEqual([1, 2])
  })

  test('a provider that cannot be reached costs one attempt', async () => {
    const up = await startFakeProvider(slot(2))
    const pool = createRpcPool({ urls: [await deadUrl(), up.url], clock: movableClock() })
    expect(await pool.ask('getSlot', getSlot)).toBe(2n)
  })

  test('a provider that is back is found again, and is then asked first', async () => {
    const { pool, clock, providers, asked } = await poolOf({ getSlot: { http: 503 } }, slot(2))
    await pool.ask('getSlot', getSlot)
    Object.assign(providers[0] ?? {}, { answers: slot(1) })

    clock.advance(999)
    expect(await pool.ask('getSlot', getSlot)).toBe(2n)
    clock.advance(2)
    expect(await pool.ask('getSlot', getSlot)).toBe(1n)
    expect(pool.health()[0]).toMatchObject({ provider: 1, faults: 0, resting: false })
    expect(asked()).toEqual([2, 2])
  })

  test('a provider that stays away rests longer each time', async () => {
    const { pool, clock, asked } = await poolOf({ getSlot: { http: 503 } }, slot(2))
    const triesWithin = async (seconds: number) => {
      const before = asked()[0] ?? 0
      for (let i = 0; i < seconds * 10; i += 1) {
        clock.advance(100)
        await pool.ask('getSlot', getSlot)
      }
      return (asked()[0] ?? 0) - before
    }
    expect(await triesWithin(10)).toBe(4)
    expect(await triesWithin(10)).toBe(1)
  })

  test('only one caller at a time tries a provider that failed', async () => {
    const { pool, clock, asked } = await hastyPoolOf({ getBlockTime: 'hang' }, { getBlockTime: { result: 2 } })
    const timeOf = (slot: bigint) =>
      pool.ask('getBlockTime', ({ rpc, abortSignal }) => rpc.getBlockTime(slot).send({ abortSignal }))
    await timeOf(0n)
    clock.advance(1001)
    await Promise.all([1n, 2n, 3n, 4n].map(timeOf))
    expect(asked()).toEqual([2, 5])
  })

  test('a rate-limited provider rests as long as it asks for', async () => {
    const limited: Answers = { getSlot: { http: 429, headers: { 'retry-after': '20' } } }
    const { pool, clock, asked } = await poolOf(limited, slot(2))
    await pool.ask('getSlot', getSlot)
    clock.advance(19_000)
    await pool.ask('getSlot', getSlot)
    expect(asked()).toEqual([1, 2])
    clock.advance(1_100)
    await pool.ask('getSlot', getSlot)
    expect(asked()).toEqual([2, 3])
  })

  test('a refusal is an answer: the provider that refuses is still asked first', async () => {
    const { pool, asked } = await poolOf({ getSlot: { error: { code: -32602, message: 'invalid' } } }, slot(2))
    await pool.ask('getSlot', getSlot)
    await pool.ask('getSlot', getSlot)
    expect(asked()).toEqual([2, 2])
    expect(pool.health()[0]?.faults).toBe(0)
  })

  test('a malformed answer is a fault of its provider', async () => {
    const { pool } = await poolOf(slot(0), slot(2))
    const plausible: Question<bigint> = async (call) => {
      const answer = await getSlot(call)
      if (answer === 0n) throw new ProviderFault('malformed')
      return answer
    }
    expect(await pool.ask('getSlot', plausible)).toBe(2n)
  })

  test('a provider that lags is asked again a moment later when no other provider is further', async () => {
    const { pool } = await poolOf({})
    let answers = 0
    const soonThere: Question<number> = async () => {
      answers += 1
      if (answers < 3) throw new ProviderFault('behind')
      return answers
    }
    expect(await pool.ask('getSlot', soonThere)).toBe(3)
  })

  test.each([{ http: 429 }, { error: { code: -32429, message: 'slow down' } }])(
    'a question waits for the end of a short rate limit when no other provider can answer: %o',
    async (limit) => {
      let asked = 0
      const limited: Answers = {
        getSlot: () => {
          asked += 1
          return asked === 1 ? limit : { result: 7 }
        },
      }
      const provider = await startFakeProvider(limited)
      const pool = createRpcPool({ urls: [provider.url], clock: { now: () => new Date() } })
      const started = performance.now()
      expect(await pool.ask('getSlot', getSlot)).toBe(7n)
      expect(performance.now() - started).toBeGreaterThan(900)
    },
  )

  test('a question fails at once when a rate limit is longer than it may wait', async () => {
    const { pool, asked } = await poolOf({ getSlot: { http: 429, headers: { 'retry-after': '20' } } })
    await expect(pool.ask('getSlot', getSlot)).rejects.toMatchObject({
      code: 'chain_unavailable',
      context: { providers: ['1: rate_limited 429'] },
    })
    expect(asked()).toEqual([1])
  })

  test('a provider that lags permanently is waited for a bounded time', async () => {
    const { pool } = await poolOf({})
    let answers = 0
    const never: Question<number> = async () => {
      answers += 1
      throw new ProviderFault('behind')
    }
    await expect(pool.ask('getSlot', never)).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(answers).toBe(3)
  })

  test('an answer that is not conclusive is kept only until a better answer is found', async () => {
    const { pool, asked } = await poolOf(slot(0), slot(7), slot(9))
    const positive = (answer: bigint) => answer > 0n
    expect(await pool.ask('getSlot', getSlot, positive)).toBe(7n)
    expect(asked()).toEqual([1, 1, 0])
    expect(await pool.ask('getSlot', getSlot, (answer) => answer > 100n)).toBe(0n)
  })

  test('when all fail the error names the method and the fault of each, and no URL or key', async () => {
    const secret = 'api-key-0123456789'
    const ill = await startFakeProvider({ getSlot: { http: 503, body: 'down' } }, `/${secret}`)
    const mute = await startFakeProvider({ getSlot: 'hang' }, `/?k=${secret}`)
    const dead = new URL(secret, await deadUrl()).href
    const faults: unknown[] = []
    const pool = createRpcPool({
      urls: [ill.url, dead, mute.url],
      clock: movableClock(),
      timeoutMs: HASTY,
      onFault: (event) => faults.push(event),
    })
    const error: unknown = await pool.ask('getSlot', getSlot).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'chain_unavailable',
      context: { method: 'getSlot', providers: ['1: http_error 503', '2: failed', '3: timeout'] },
    })
    const shown = inspect([error, faults, pool.health()], { depth: 10 })
    expect(shown).not.toContain(secret)
    expect(shown).not.toContain('127.0.0.1')
  })

  test.each([
    [[], /no RPC URL/],
    [['https://one.example/secret', 'not a url, secret'], /RPC URL 2 is no/],
    [['ftp://secret.example'], /RPC URL 1 is no/],
  ])('a bad list of URLs is refused without repeating it: %j', (urls, message) => {
    const build = () => createRpcPool({ urls, clock: movableClock() })
    expect(build).toThrow(message)
    expect(build).not.toThrow('secret')
  })

  test('every call is counted by its method, failed calls too', async () => {
    const { pool } = await poolOf({ getSlot: { http: 500 } }, { ...slot(2), getBlockHeight: { result: 5 } })
    await pool.ask('getSlot', getSlot)
    await pool.ask('getBlockHeight', ({ rpc, abortSignal }) => rpc.getBlockHeight().send({ abortSignal }))
    expect(Object.fromEntries(pool.calls)).toEqual({ getSlot: 2, getBlockHeight: 1 })
  })

  test('asking each asks all providers, and a failure hides no answer of another', async () => {
    const { pool } = await poolOf(slot(1), { getSlot: { http: 500 } }, slot(3))
    const answers = await Promise.all(pool.askEach('getSlot', getSlot))
    expect(answers).toMatchObject([{ answer: 1n }, { fault: { kind: 'http_error', status: 500 } }, { answer: 3n }])
  })
})

// How fast a chain is, as its providers say and as it is measured.
describe('the pace of a chain', () => {
  const depositKeys = createDepositKeys(new Uint8Array(64))
  const CERTIFICATE = { result: { block: { slot: 9, blockId: [] }, signature: { signature: [], bitmap: [] } } }
  const TOWER = { result: null }
  const OLDER = { error: { code: -32601, message: 'Method not found' } }
  const SLOTS = ([config]: readonly unknown[]) => ({
    result: (config as { commitment?: string } | undefined)?.commitment === 'processed' ? 102 : 100,
  })

  async function chainOf(...all: Answers['getAgGenesisCert'][]) {
    const providers = await Promise.all(
      all.map((getAgGenesisCert) => startFakeProvider({ getAgGenesisCert, getSlot: SLOTS })),
    )
    const rpcUrls = providers.map(({ url }) => url)
    return { chain: createChain({ network: 'live', rpcUrls, depositKeys, clock: movableClock() }), providers }
  }
  const consensusOf = async (...all: Answers['getAgGenesisCert'][]) =>
    (await (await chainOf(...all)).chain.pace()).consensus

  describe('the consensus', () => {
    test('is Alpenglow where a provider has its certificate, also when others have none yet', async () => {
      expect(await consensusOf(CERTIFICATE)).toBe('alpenglow')
      expect(await consensusOf(TOWER, OLDER, CERTIFICATE)).toBe('alpenglow')
    })

    test('is TowerBFT where a provider answers null', async () => {
      expect(await consensusOf(TOWER)).toBe('tower_bft')
    })

    test('is not known from a node without the method, which is no fault of the node', async () => {
      const { chain } = await chainOf(OLDER)
      expect((await chain.pace()).consensus).toBeNull()
      expect(chain.rpc.health()).toMatchObject([{ provider: 1, faults: 0, resting: false }])
    })

    test('is not known while no provider answers, and the rest is shown', async () => {
      const { chain } = await chainOf({ http: 500 })
      expect(await chain.pace()).toEqual({ consensus: null, slotMs: null, finalAfterSlots: 2 })
    })

    test('is asked for until a certificate was shown, which never changes', async () => {
      const { chain, providers } = await chainOf(CERTIFICATE)
      await chain.pace()
      await chain.pace()
      expect(providers[0]?.asked.filter(({ method }) => method === 'getAgGenesisCert')).toHaveLength(1)
    })
  })

  describe('the time of a slot', () => {
    const timer = () => {
      const clock = movableClock()
      const { note, slotMs } = createSlotTimer(clock)
      const noted = (ms: number, slot: bigint) => {
        clock.advance(ms)
        note(slot)
        return slotMs()
      }
      return noted
    }

    test('is measured over ten seconds or more, and again as the chain changes its pace', () => {
      const noted = timer()
      expect(noted(0, 100n)).toBeNull()
      expect(noted(9_999, 150n)).toBeNull()
      expect(noted(1, 150n)).toBe(200)
      expect(noted(50_000, 400n)).toBe(200)
      expect(noted(30_000, 475n)).toBe(400)
    })

    test('is not measured across a jump of the clock of a sandbox, or by a wrong answer', () => {
      const noted = timer()
      noted(0, 100n)
      expect(noted(20_000, 200n)).toBe(200)
      expect(noted(1_000, 10n ** 12n)).toBe(200)
      expect(noted(1_000, 210n)).toBe(200)
      expect(noted(20_000, 310n)).toBe(200)
    })
  })

  test('the time of a slot is that of mainnet until it is measured', async () => {
    const clock = movableClock()
    const slotTimer = createSlotTimer(clock)
    const { slotMs } = createPaceReader({ ask: () => Promise.reject(new Error('asks nothing')) }, slotTimer)
    slotTimer.note(100n)
    expect(slotMs()).toBe(200)
    clock.advance(20_000)
    slotTimer.note(150n)
    expect(slotMs()).toBe(400)
  })
})
