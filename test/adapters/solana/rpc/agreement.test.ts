// With several providers, two must report the same final transaction.
import { getBase58Decoder, type Signature, signature } from '@solana/kit'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createChain } from '#adapters/solana/chain.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { type Answers, inContext, movableClock, startFakeProvider } from '../fake-provider.ts'

const depositKeys = createDepositKeys(new Uint8Array(64))
const aSignature = (n: number): Signature => signature(getBase58Decoder().decode(new Uint8Array(64).fill(n)))
const SIGNATURE = aSignature(1)

async function chainOf(...all: Answers[]) {
  const clock = movableClock()
  const providers = await Promise.all(all.map((answers) => startFakeProvider(answers)))
  const rpcUrls = providers.map(({ url }) => url)
  const chain = createChain({ network: 'live', rpcUrls, depositKeys, clock, timeoutMs: 60_000 })
  /** The calls of each provider since the last reading. */
  const calls = () => providers.map(({ asked }) => asked.splice(0).map(({ method }) => method))
  return { chain, clock, providers, calls }
}

const status = (over: object = {}) => ({
  slot: 5,
  confirmations: null,
  confirmationStatus: 'finalized',
  err: null,
  status: { Ok: null },
  ...over,
})
/** Answers every signature with the same status. */
const saying = (one: object | null): Answers => ({
  getSignatureStatuses: ([asked]) =>
    inContext(
      40,
      (asked as unknown[]).map(() => one),
    ),
})
const FAILED = { InstructionError: [0, { Custom: 1 }] }
const finalityOf = async (...all: Answers[]) => {
  const { chain } = await chainOf(...all)
  const [found] = await chain.signatureStatuses([SIGNATURE])
  return [found?.final, found?.doubt]
}
const FINAL = saying(status())

describe('a transaction that one provider calls final', () => {
  test('is final where no other provider is configured, and costs one call', async () => {
    const { chain, calls } = await chainOf(FINAL)
    expect(await chain.signatureStatuses([SIGNATURE])).toMatchObject([{ final: true, doubt: null }])
    expect(calls()).toEqual([['getSignatureStatuses']])
  })

  test('is final when another one reports the same slot and outcome as final', async () => {
    expect(await finalityOf(FINAL, FINAL)).toEqual([true, null])
    const failed = saying(status({ err: FAILED }))
    expect(await finalityOf(failed, failed)).toEqual([true, null])
  })

  test('is final when a third one agrees, whatever the second one does', async () => {
    for (const second of [saying(null), { getSignatureStatuses: { http: 503 } }, saying(status({ slot: 6 }))])
      expect(await finalityOf(FINAL, second, FINAL)).toEqual([true, null])
  })

  describe('and one that hangs', () => {
    afterEach(() => void vi.useRealTimers())

    test('does not delay an agreement of the others', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      expect(await finalityOf(FINAL, { getSignatureStatuses: 'hang' }, FINAL)).toEqual([true, null])
    })

    test('counts as away after three seconds', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const finality = finalityOf(FINAL, { getSignatureStatuses: 'hang' })
      await vi.waitUntil(() => vi.getTimerCount() > 0)
      vi.advanceTimersByTime(3_000)
      expect(await finality).toEqual([false, 'another provider does not answer (timeout)'])
    })
  })

  test('is confirmed, without a reason, while another one only has not made it final yet', async () => {
    const later = saying(status({ confirmationStatus: 'confirmed', confirmations: 3 }))
    expect(await finalityOf(FINAL, later)).toEqual([false, null])
  })

  test.each([
    ['does not know it', saying(null), 'another provider does not know it'],
    ['reports another slot', saying(status({ slot: 6 })), 'another provider reports another outcome'],
    ['reports another outcome', saying(status({ err: FAILED })), 'another provider reports another outcome'],
    ['is down', { getSignatureStatuses: { http: 503 } }, 'another provider does not answer (http_error 503)'],
  ] satisfies [string, Answers, string][])(
    'is confirmed, with the reason, while another one %s',
    async (_, other, doubt) => {
      expect(await finalityOf(FINAL, other)).toEqual([false, doubt])
    },
  )
})

describe('a transaction in several banks of one slot', () => {
  const BANKS = [
    ['shows a failure', saying(status({ err: FAILED })), { final: true, error: JSON.stringify(FAILED) }],
    ['lacks it', saying(null), null],
  ] as const

  test.each(BANKS)('counts as in the final one, which %s', async (_, final, found) => {
    const { chain, providers } = await chainOf(
      saying(status({ confirmationStatus: 'processed', confirmations: 0 })),
      final,
    )
    expect(await chain.signatureStatuses([SIGNATURE])).toMatchObject([{ final: false, error: null, doubt: null }])
    Object.assign(providers[0]?.answers ?? {}, final)
    expect(await chain.signatureStatuses([SIGNATURE])).toMatchObject([found])
  })

  test.each(BANKS)('is not final while two providers call two of them final, of which one %s', async (_, other) => {
    expect(await finalityOf(FINAL, other)).toEqual([false, expect.any(String)])
  })
})

test('the second provider is asked for all final ones in one call, and never again for what was agreed on', async () => {
  const { chain, calls, providers } = await chainOf(FINAL, FINAL)
  const all = [aSignature(1), aSignature(2), aSignature(3)]
  await chain.signatureStatuses(all)
  expect(providers.map(({ asked }) => asked.map(({ params }) => params[0]))).toEqual([[all], [all]])
  calls()
  await chain.signatureStatuses(all)
  expect(calls()).toEqual([['getSignatureStatuses'], []])
})

test('a status that is not final costs the second provider no call', async () => {
  const { chain, calls } = await chainOf(saying(status({ confirmationStatus: 'confirmed' })), FINAL)
  await chain.signatureStatuses([SIGNATURE])
  expect(calls()).toEqual([['getSignatureStatuses'], []])
})

test('where the reporting provider is not known, two of all have to agree', async () => {
  const reported = [{ signature: SIGNATURE, slot: 5n, error: null, provider: null }]
  const { chain } = await chainOf(FINAL, saying(null))
  expect(await chain.finalDoubts(reported)).toEqual(new Map([[SIGNATURE, 'another provider does not know it']]))
  const { chain: sure } = await chainOf(FINAL, saying(null), FINAL)
  expect(await sure.finalDoubts(reported)).toEqual(new Map())
})

describe('a final transaction that is read', () => {
  const LANDED = {
    blockTime: 1_770_000_000,
    slot: 5,
    transaction: {
      signatures: [SIGNATURE],
      message: { accountKeys: ['SysvarC1ock11111111111111111111111111111111'], header: { numRequiredSignatures: 1 } },
    },
    meta: { err: null, fee: 0, preBalances: [5], postBalances: [5], preTokenBalances: [], postTokenBalances: [] },
  }
  const knowing = (answers: Answers): Answers => ({
    getTransaction: { result: LANDED },
    getSlot: { result: 9 },
    ...answers,
  })

  test('is returned when two providers agree', async () => {
    const { chain } = await chainOf(knowing(FINAL), FINAL)
    expect((await chain.transaction(SIGNATURE))?.slot).toBe(5n)
  })

  test('is not there yet while the second provider is behind', async () => {
    const { chain } = await chainOf(knowing(FINAL), saying(status({ confirmationStatus: 'confirmed' })))
    expect(await chain.transaction(SIGNATURE)).toBeNull()
  })

  test('cannot be read while the second provider contradicts: no one takes it for dropped', async () => {
    const { chain } = await chainOf(knowing(FINAL), saying(null))
    await expect(chain.transaction(SIGNATURE)).rejects.toMatchObject({
      code: 'chain_unavailable',
      context: { reason: 'another provider does not know it' },
    })
  })

  test('is unknown only when every provider says so', async () => {
    const unknown: Answers = { getTransaction: { result: null } }
    const { chain } = await chainOf(unknown, unknown)
    expect(await chain.transaction(SIGNATURE)).toBeNull()
    const { chain: partly } = await chainOf(unknown, { getTransaction: { http: 503 } })
    await expect(partly.transaction(SIGNATURE)).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  test('is not final for longer than half a minute by one wrong slot', async () => {
    const answers: Answers = { getTransaction: { result: LANDED }, getSlot: { result: 10 ** 12 } }
    const { chain, clock, providers } = await chainOf(answers)
    await chain.transaction(SIGNATURE)
    Object.assign(providers[0]?.answers ?? {}, { getSlot: { result: 4 } })
    clock.advance(30_001)
    expect(await chain.transaction(SIGNATURE)).toBeNull()
    Object.assign(providers[0]?.answers ?? {}, { getSlot: { result: 5 } })
    expect((await chain.transaction(SIGNATURE))?.slot).toBe(5n)
  })
})

test('the providers that answer are counted', async () => {
  const up: Answers = { getSlot: { result: 5 } }
  const { chain } = await chainOf(up, { getSlot: { http: 503 } }, up)
  expect(await chain.countProviders()).toEqual({ configured: 3, answering: 2 })
  const { chain: alone, calls } = await chainOf({})
  expect(await alone.countProviders()).toEqual({ configured: 1, answering: 1 })
  expect(calls()).toEqual([[]])
})
