import { getBase58Decoder, type Signature, signature } from '@solana/kit'
import { describe, expect, test } from 'vitest'
import { createChain } from '#adapters/solana/chain.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { createSigner } from '#adapters/solana/transactions/signer.ts'
import { makeBlockhash } from '#core/chain/base58.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { mustSign } from '../../../support/signing.ts'
import { type Answers, deadUrl, inContext, movableClock, startFakeProvider } from '../fake-provider.ts'

describe('a submitter', () => {
  const seed = new Uint8Array(64).fill(9)
  const depositKeys = createDepositKeys(seed)

  const chainOf = (...all: Answers[]) => makeChain(10_000, all)

  async function makeChain(timeoutMs: number, all: readonly Answers[]) {
    const clock = movableClock()
    const providers = await Promise.all(all.map((answers) => startFakeProvider(answers)))
    const rpcUrls = providers.map(({ url }) => url)
    const chain = createChain({ network: 'live', rpcUrls, depositKeys, clock, timeoutMs })
    return { chain, clock, providers, counts: () => providers.map(({ asked }) => asked.length) }
  }

  const aSignature = (n: number): Signature =>
    signature(
      getBase58Decoder().decode(
        new Uint8Array(64)
          .fill(7)
          .fill(n % 256, 1, 2)
          .fill(n >> 8, 2, 3),
      ),
    )

  const blockhash = (slot: number): Answers => ({
    getLatestBlockhash: inContext(slot, {
      blockhash: 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N',
      lastValidBlockHeight: slot + 150,
    }),
  })

  /** A signed transaction of no effect. */
  async function someWire() {
    const key = { network: 'live', branch: 'deposit', account: 1, intent: 1 } as const
    const source = depositKeys.addressOf(key)
    const authority = { address: source, key }
    const destination = depositKeys.addressOf({ network: 'live', branch: 'delegate' })
    const legs = [{ role: 'merchant', destination, amount: makeBaseUnits(5), feeBps: null }] as const
    const { chain } = await chainOf(blockhash(1))
    const lifetime = await chain.lifetime()
    const plan = {
      kind: 'legs',
      network: 'live',
      source,
      authority,
      lifetime,
      asset: 'SOL',
      token: null,
      legs,
    } as const
    const { message } = await chain.compile(plan)
    return await mustSign(createSigner(seed), plan, message)
  }

  test('a blockhash is shared for 0.2 seconds, and asked for once by concurrent callers', async () => {
    const { chain, clock, counts } = await chainOf(blockhash(100))
    const both = await Promise.all([chain.lifetime(), chain.lifetime()])
    const blockhashOf100 = 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N'
    expect(both[0]).toEqual({ blockhash: blockhashOf100, lastValidBlockHeight: 250n })
    clock.advance(199)
    await chain.lifetime()
    expect(counts()).toEqual([1])
    clock.advance(1)
    await chain.lifetime()
    expect(counts()).toEqual([2])
  })

  test('a failure to read a blockhash is not cached', async () => {
    const { chain, providers } = await chainOf({ getLatestBlockhash: { http: 503 } })
    await expect(chain.lifetime()).rejects.toMatchObject({ code: 'chain_unavailable' })
    Object.assign(providers[0]?.answers ?? {}, blockhash(100))
    expect((await chain.lifetime()).lastValidBlockHeight).toBe(250n)
  })

  test('a blockhash is not kept past a clock that was set back', async () => {
    const { chain, clock, counts } = await chainOf(blockhash(100))
    await chain.lifetime()
    clock.advance(-86_400_000)
    await chain.lifetime()
    expect(counts()).toEqual([2])
  })

  test('an old blockhash of a lagging provider is refused', async () => {
    const { chain, clock, providers } = await chainOf(blockhash(100), blockhash(101))
    await chain.lifetime()
    Object.assign(providers[0]?.answers ?? {}, blockhash(60))
    clock.advance(2000)
    expect((await chain.lifetime()).lastValidBlockHeight).toBe(251n)
  })

  const taken: Answers = { sendTransaction: { result: aSignature(1) } }

  test('the same bytes go to every provider, without preflight and without their own retries', async () => {
    const { wire } = await someWire()
    const { chain, providers } = await chainOf(taken, taken, taken)
    await chain.broadcast(wire)
    await expect.poll(() => providers.map(({ asked }) => asked.length)).toEqual([1, 1, 1])
    for (const { asked } of providers)
      expect(asked[0]?.params).toEqual([
        Buffer.from(wire).toString('base64'),
        expect.objectContaining({ encoding: 'base64', skipPreflight: true, maxRetries: 0 }),
      ])
  })

  test('one provider that accepts them is enough, and the others are not waited for', async () => {
    const { wire } = await someWire()
    const { chain } = await makeChain(60_000, [{ sendTransaction: { http: 500 } }, taken, { sendTransaction: 'hang' }])
    // Waiting for the provider that hangs would outlast this test.
    await chain.broadcast(wire)
  })

  const ALREADY = { err: 'AlreadyProcessed', logs: [], accounts: null, unitsConsumed: 0 }

  test('a transaction that was processed before counts as accepted', async () => {
    const { wire } = await someWire()
    const { chain, counts } = await chainOf({
      sendTransaction: { error: { code: -32002, message: 'Transaction simulation failed', data: ALREADY } },
    })
    await chain.broadcast(wire)
    expect(counts()).toEqual([1])
  })

  const refusal = { sendTransaction: { error: { code: -32002, message: 'Transaction verification failed' } } }
  const status = (level: string) => ({
    slot: 5,
    confirmations: 1,
    confirmationStatus: level,
    err: null,
    status: { Ok: null },
  })

  test('a refusal of a transaction that the chain knows counts as accepted, whatever its reason', async () => {
    const { wire, signature: name } = await someWire()
    const { chain, providers } = await chainOf({
      ...refusal,
      getSignatureStatuses: inContext(5, [status('confirmed')]),
    })
    await chain.broadcast(wire)
    expect(providers[0]?.asked.at(-1)?.params[0]).toEqual([name])
  })

  test('bytes that a provider calls invalid are refused, which differs from providers that are away', async () => {
    const { wire } = await someWire()
    const { chain } = await chainOf({ ...refusal, getSignatureStatuses: inContext(5, [null]) })
    await expect(chain.broadcast(wire)).rejects.toMatchObject({ code: 'transaction_refused' })
    expect(chain.rpc.health()).toMatchObject([{ provider: 1, faults: 0, resting: false }])

    const away = await makeChain(300, [{ sendTransaction: { http: 502 } }, { sendTransaction: 'hang' }])
    await expect(away.chain.broadcast(wire)).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  test('1,000 statuses are four calls, in the order asked', async () => {
    const signatures = Array.from({ length: 1000 }, (_, n) => aSignature(n))
    const { chain, providers } = await chainOf({
      getSignatureStatuses: ([asked]) =>
        inContext(
          1_000,
          (asked as Signature[]).map((one) => {
            const n = signatures.indexOf(one)
            return n % 3 === 0 ? null : { ...status(n % 3 === 1 ? 'processed' : 'finalized'), slot: n }
          }),
        ),
    })
    const found = await chain.signatureStatuses(signatures)
    expect(providers[0]?.asked.map(({ params }) => (params[0] as unknown[]).length)).toEqual([256, 256, 256, 232])
    expect(found.slice(0, 3)).toEqual([
      null,
      { slot: 1n, final: false, error: null, doubt: null },
      { slot: 2n, final: true, error: null, doubt: null },
    ])
    expect(found[998]).toEqual({ slot: 998n, final: true, error: null, doubt: null })
  })

  test('an error of a landed transaction is part of its status, and a rooted transaction without a level is final', async () => {
    const failed = { ...status('finalized'), err: { InstructionError: [0, { Custom: 1 }] } }
    const unnamed = { ...status('finalized'), confirmationStatus: null, confirmations: null }
    const { chain } = await chainOf({ getSignatureStatuses: inContext(5, [failed, unnamed]) })
    expect(await chain.signatureStatuses([aSignature(1), aSignature(2)])).toMatchObject([
      { final: true, error: '{"InstructionError":[0,{"Custom":1}]}' },
      { final: true, error: null },
    ])
  })

  test('history is searched for a new signature, then once a minute, and not in between', async () => {
    const { chain, clock, providers } = await chainOf({
      getSignatureStatuses: ([asked]) =>
        inContext(
          5,
          (asked as unknown[]).map(() => null),
        ),
    })
    const searched = () =>
      providers[0]?.asked.splice(0).map(({ params }) => {
        const { searchTransactionHistory } = params[1] as { searchTransactionHistory: boolean }
        return [(params[0] as unknown[]).length, searchTransactionHistory]
      })
    await chain.signatureStatuses([aSignature(1)])
    expect(searched()).toEqual([[1, true]])
    await chain.signatureStatuses([aSignature(1), aSignature(2), aSignature(3)])
    expect(searched()?.toSorted()).toEqual([
      [1, false],
      [2, true],
    ])
    clock.advance(60_000)
    await chain.signatureStatuses([aSignature(1)])
    expect(searched()).toEqual([[1, true]])
  })

  test('history is not searched for a transaction that was just sent for the first time', async () => {
    const { wire, signature: name } = await someWire()
    const { chain, clock, providers } = await chainOf({ ...taken, getSignatureStatuses: inContext(5, [null]) })
    const searched = async () => {
      await chain.signatureStatuses([name])
      return providers[0]?.asked.at(-1)?.params[1]
    }
    await chain.broadcast(wire)
    expect(await searched()).toMatchObject({ searchTransactionHistory: false })
    clock.advance(59_999)
    await chain.broadcast(wire)
    expect(await searched()).toMatchObject({ searchTransactionHistory: false })
    clock.advance(1)
    expect(await searched(), 'the same bytes may have landed a minute ago').toMatchObject({
      searchTransactionHistory: true,
    })
  })

  test('an answer with fewer statuses than asked is refused', async () => {
    const { chain } = await chainOf(
      { getSignatureStatuses: inContext(5, [null]) },
      { getSignatureStatuses: inContext(5, [null, status('confirmed')]) },
    )
    const found = await chain.signatureStatuses([aSignature(1), aSignature(2)])
    expect(found.map((one) => one?.final)).toEqual([undefined, false])
  })

  test('no signatures cost no call', async () => {
    const { chain, counts } = await chainOf({})
    expect(await chain.signatureStatuses([])).toEqual([])
    expect(counts()).toEqual([0])
  })
})

// Every clause of the proof has a test that would get a wrong proof without the clause.
describe('the proof that a transaction has expired', () => {
  const depositKeys = createDepositKeys(new Uint8Array(64))
  const aSignature = (n: number): Signature => signature(getBase58Decoder().decode(new Uint8Array(64).fill(n)))
  const SUSPECT = aSignature(1)
  const KNOWN = aSignature(2)
  const LAST_VALID = 1000n

  /** A provider that proves SUSPECT expired. Each part of its answer can be changed. */
  type Witness = {
    height?: number
    epochHeight?: number
    slot?: number
    searchedSlot?: number
    /** The newest final slot of the node that searches. */
    finalSearchedSlot?: number
    suspect?: object | null
    known?: object | null
  }
  const status = { slot: 900, confirmations: null, confirmationStatus: 'finalized', err: null, status: { Ok: null } }
  const witness = ({
    height = 1002,
    epochHeight = height,
    slot = 5000,
    searchedSlot = 5032,
    finalSearchedSlot = searchedSlot,
    suspect = null,
    known = status,
  }: Witness = {}): Answers => ({
    getBlockHeight: ([config]) => ({ result: commitmentOf(config) === 'finalized' ? height : height + 32 }),
    getEpochInfo: ([config]) => ({
      result: {
        absoluteSlot: slot,
        blockHeight: commitmentOf(config) === 'finalized' ? epochHeight : epochHeight + 32,
        epoch: 1,
        slotIndex: 1,
        slotsInEpoch: 432_000,
        transactionCount: 1,
      },
    }),
    getSignatureStatuses: ([asked, config]) => {
      const { searchTransactionHistory = false, commitment } = config as {
        searchTransactionHistory?: boolean
        commitment?: string
      }
      const statuses = new Map([
        [SUSPECT, suspect],
        [KNOWN, known],
      ])
      return inContext(
        commitment === 'finalized' ? finalSearchedSlot : searchedSlot,
        (asked as Signature[]).map((one) => (searchTransactionHistory ? (statuses.get(one) ?? null) : null)),
      )
    },
  })
  /** Kit leaves out the server's default. */
  const commitmentOf = (config: unknown): string =>
    (config as { commitment?: string } | undefined)?.commitment ?? 'finalized'

  async function proveExpired(...witnesses: Answers[]) {
    const providers = await Promise.all(witnesses.map((answers) => startFakeProvider(answers)))
    return prove(providers.map(({ url }) => url))
  }
  const prove = (rpcUrls: readonly string[], timeoutMs = 10_000) =>
    createChain({ network: 'live', rpcUrls, depositKeys, clock: movableClock(), timeoutMs }).proveExpired({
      signature: SUSPECT,
      lifetime: { blockhash: makeBlockhash(KNOWN.slice(0, 32)), lastValidBlockHeight: LAST_VALID },
      knownSignature: KNOWN,
    })

  test('a transaction has expired when every provider is final past its life, knows its past, and does not know it', async () => {
    expect(await proveExpired(witness({ height: 1040 }), witness())).toEqual({
      expired: true,
      providers: 2,
    })
    expect(await proveExpired(witness())).toEqual({ expired: true, providers: 1 })
  })

  test('one block after the last valid height it is too early, on any provider: a block may still contain it', async () => {
    expect(await proveExpired(witness({ height: 1001 }))).toMatchObject({ expired: false, because: 'not_yet' })
    expect(await proveExpired(witness(), witness({ height: 1001 }))).toMatchObject({
      expired: false,
      because: 'not_yet',
    })
  })

  test('the lower of two heights counts when a provider contradicts itself', async () => {
    expect(await proveExpired(witness({ height: 1001, epochHeight: 1064 }))).toMatchObject({ because: 'not_yet' })
    expect(await proveExpired(witness({ height: 1064, epochHeight: 1001 }))).toMatchObject({ because: 'not_yet' })
  })

  test('one provider that saw it land outweighs all others, and a provider that is away', async () => {
    const saw = witness({ suspect: { ...status, slot: 950 } })
    expect(await proveExpired(witness(), saw)).toMatchObject({ expired: false, because: 'landed' })
    expect(await proveExpired({ getBlockHeight: { http: 500 } }, saw)).toMatchObject({ because: 'landed' })
  })

  test('it has landed also when it failed, is only processed, or the height is not yet reached', async () => {
    const failed = { ...status, err: { InstructionError: [0, { Custom: 1 }] } }
    expect(await proveExpired(witness({ suspect: failed }))).toMatchObject({ because: 'landed' })
    expect(await proveExpired(witness({ suspect: { ...status, confirmationStatus: 'processed' } }))).toMatchObject({
      because: 'landed',
    })
    expect(await proveExpired(witness({ suspect: status, height: 900 }))).toMatchObject({ because: 'landed' })
  })

  test('a provider that does not know the known signature leaves it unproven', async () => {
    expect(await proveExpired(witness(), witness({ known: null }))).toMatchObject({
      expired: false,
      because: 'unproven',
    })
  })

  test('a provider that is away leaves it unproven, whatever the others answer', async () => {
    const providers = await Promise.all([witness(), witness()].map((answers) => startFakeProvider(answers)))
    const urls = [...providers.map(({ url }) => url), await deadUrl()]
    const proof = await prove(urls)
    expect(proof).toMatchObject({ expired: false, because: 'unproven', detail: expect.stringContaining('provider 3') })
  })

  test.each(['getBlockHeight', 'getEpochInfo', 'getSignatureStatuses'])(
    'a provider that cannot answer %s leaves it unproven',
    async (method) => {
      const hanging = { ...witness(), [method]: 'hang' as const }
      const providers = await Promise.all([witness(), hanging].map((answers) => startFakeProvider(answers)))
      const proof = await prove(
        providers.map(({ url }) => url),
        600,
      )
      expect(proof).toMatchObject({ because: 'unproven', detail: 'provider 2: unreachable (timeout)' })
    },
  )

  test('a search in a bank older than the height leaves it unproven: one URL may lead to many nodes', async () => {
    expect(await proveExpired(witness({ slot: 5000, searchedSlot: 4999 }))).toMatchObject({
      expired: false,
      because: 'unproven',
    })
  })

  test('a search in a bank that is not final leaves it unproven: another bank of a slot may have it', async () => {
    const proof = await proveExpired(witness({ slot: 5000, searchedSlot: 5032, finalSearchedSlot: 4990 }))
    expect(proof).toMatchObject({ expired: false, because: 'unproven' })
  })

  test('an answer for fewer signatures than asked leaves it unproven', async () => {
    const curt = { ...witness(), getSignatureStatuses: inContext(5032, [null]) }
    expect(await proveExpired(curt)).toMatchObject({ expired: false, because: 'unproven' })
  })

  test('the height is asked before the signature, or it could land in between', async () => {
    const provider = await startFakeProvider(witness())
    await prove([provider.url])
    expect(provider.asked.map(({ method }) => method).at(-1)).toBe('getSignatureStatuses')
    expect(provider.asked).toHaveLength(3)
  })
})
