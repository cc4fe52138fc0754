// How fast a chain is, as its providers say and as it is measured.
import { describe, expect, test } from 'vitest'
import { createChain } from '#adapters/solana/chain.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { createPaceReader, createSlotTimer } from '#adapters/solana/rpc/pace.ts'
import { type Answers, movableClock, startFakeProvider } from '../fake-provider.ts'

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
    expect(chain.rpc.health()).toEqual([{ provider: 1, faults: 0, resting: false }])
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
