import { randomBytes } from 'node:crypto'
import { getAddressDecoder, getBase58Decoder } from '@solana/kit'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AddressSet, fingerprintsOf } from '#adapters/solana/blocks/address-set.ts'
import { matchAnswer } from '#adapters/solana/blocks/block-match.ts'
import { createChain } from '#adapters/solana/chain.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { anAddress } from '../chain-data.ts'
import { type Answers, movableClock, startFakeProvider } from '../fake-provider.ts'

const [PAYER, DEPOSIT, STRANGER] = await Promise.all([anAddress(), anAddress(), anAddress()])

// The notices of a block, compared with a reference that checks every account in a plain set.
describe('the notices of a block', () => {
  const anAddress = (): string => getAddressDecoder().decode(randomBytes(32))
  const aSignature = (): string => getBase58Decoder().decode(randomBytes(64))
  const [PAYER, BUYER, DEPOSIT, TOKENS, MINT, OTHER] = Array.from({ length: 6 }, anAddress) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ]

  const setOf = (...addresses: string[]) => {
    const set = new AddressSet()
    set.add(fingerprintsOf(addresses))
    return set
  }

  type Holding = { at: number; mint: string; owner?: string; amount: string }
  const holding = ({ at, mint, owner, amount }: Holding) => ({
    accountIndex: at,
    mint,
    ...(owner && { owner }),
    uiTokenAmount: { amount, decimals: 6 },
  })
  function transaction(parts: {
    keys: string[]
    pre: (number | bigint)[]
    post: (number | bigint)[]
    preTokens?: Holding[]
    postTokens?: Holding[]
    err?: unknown
    signature?: string
  }) {
    return {
      version: 0,
      transaction: {
        signatures: [parts.signature ?? aSignature()],
        accountKeys: parts.keys.map((pubkey, at) => ({
          pubkey,
          signer: at < 2,
          writable: true,
          source: 'transaction',
        })),
      },
      meta: {
        err: parts.err ?? null,
        fee: 5000,
        preBalances: parts.pre,
        postBalances: parts.post,
        preTokenBalances: (parts.preTokens ?? []).map(holding),
        postTokenBalances: (parts.postTokens ?? []).map(holding),
      },
    }
  }
  const BLOCK = { blockhash: anAddress(), previousBlockhash: anAddress(), parentSlot: 6, blockTime: 1_790_000_000 }
  const answer = (...transactions: object[]): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, result: { ...BLOCK, transactions } }, (_, value: unknown) =>
      typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value,
    )
  const match = (text: string, ...watched: string[]) => {
    const matched = matchAnswer(7n, text, setOf(...watched))
    if (matched.kind !== 'block') throw new Error(`it is ${matched.kind}`)
    return matched.block
  }
  const payment = transaction({
    keys: [PAYER, BUYER, DEPOSIT],
    pre: [1_000_000, 900, 50],
    post: [995_000, 100, 850],
  })

  describe('a block', () => {
    test('has its place, its time and a notice of each payment to a watched address', () => {
      const block = match(answer(payment), DEPOSIT)
      expect(block).toMatchObject({
        slot: 7n,
        parentSlot: 6n,
        blockhash: BLOCK.blockhash,
        parentBlockhash: BLOCK.previousBlockhash,
        time: new Date(1_790_000_000_000),
      })
      expect(block.notices).toMatchObject([{ owners: [DEPOSIT], signature: payment.transaction.signatures[0] }])
    })

    test('has the whole transaction: its changes, its signers and its fee payer', () => {
      const [notice] = match(answer(payment), DEPOSIT).notices
      expect(notice?.transaction).toMatchObject({
        slot: 7n,
        blockTime: new Date(1_790_000_000_000),
        error: null,
        fee: 5_000n,
        feePayer: PAYER,
        signers: [PAYER, BUYER],
        changes: [
          { account: PAYER, before: 1_000_000n, after: 995_000n },
          { account: BUYER, before: 900n, after: 100n },
          { account: DEPOSIT, owner: DEPOSIT, asset: 'SOL', before: 50n, after: 850n },
        ],
      })
    })

    test('has no notice of a transaction that failed, or only took from an address', () => {
      const keys = [PAYER, BUYER, DEPOSIT]
      const passing = transaction({ keys, pre: [9, 9, 9], post: [8, 9, 9] })
      const leaving = transaction({ keys, pre: [9, 9, 9], post: [8, 18, 0] })
      const failed = transaction({ keys, pre: [9, 9, 9], post: [8, 9, 10], err: { InstructionError: [0, 'Custom'] } })
      expect(match(answer(passing, leaving, failed), DEPOSIT).notices).toEqual([])
    })
  })

  describe('tokens', () => {
    const move = (postTokens: Holding[], preTokens: Holding[] = []) =>
      transaction({ keys: [PAYER, BUYER, TOKENS], pre: [9, 9, 0], post: [4, 9, 5], preTokens, postTokens })

    test('of any mint, in any account, are found by their owner', () => {
      const text = answer(move([{ at: 2, mint: OTHER, owner: DEPOSIT, amount: '7' }]))
      const [notice] = match(text, DEPOSIT).notices
      expect(notice?.owners).toEqual([DEPOSIT])
      expect(notice?.transaction?.changes).toContainEqual(
        expect.objectContaining({ account: TOKENS, owner: DEPOSIT, asset: OTHER, before: 0n, after: 7n }),
      )
    })

    test('that were there before, or became fewer, give no notice', () => {
      const same = move([{ at: 2, mint: MINT, owner: DEPOSIT, amount: '7' }], [{ at: 2, mint: MINT, amount: '7' }])
      const fewer = move([{ at: 2, mint: MINT, owner: DEPOSIT, amount: '6' }], [{ at: 2, mint: MINT, amount: '7' }])
      expect(match(answer(same, fewer), DEPOSIT).notices).toEqual([])
    })

    test('are compared as whole numbers however large', () => {
      const [before, after] = ['9007199254740992', '9007199254740993']
      const text = answer(
        move(
          [{ at: 2, mint: MINT, owner: DEPOSIT, amount: after }],
          [{ at: 2, mint: MINT, owner: DEPOSIT, amount: before }],
        ),
      )
      expect(match(text, DEPOSIT).notices[0]?.transaction?.changes).toContainEqual(
        expect.objectContaining({ account: TOKENS, before: BigInt(before), after: BigInt(after) }),
      )
    })
  })

  test('lamports beyond 2^53 give a notice, and are left to be read exactly', () => {
    // As a double, this amount equals the next larger amount.
    const whale = 2n ** 53n
    const text = answer(
      transaction({ keys: [PAYER, BUYER, DEPOSIT], pre: [9, whale + 10n, 0], post: [8, whale, 10] }),
      transaction({ keys: [PAYER, BUYER, DEPOSIT], pre: [9, 9, whale], post: [8, 9, whale + 1n] }),
    )
    expect(match(text, DEPOSIT).notices).toMatchObject([
      { owners: [DEPOSIT], transaction: null },
      { owners: [DEPOSIT], transaction: null },
    ])
  })

  test('a transaction that makes no sense gives a notice, and is left to be read by its signature', () => {
    const fromNothing = transaction({ keys: [PAYER, BUYER, DEPOSIT], pre: [1, 1, 1], post: [1, 1, 9] })
    expect(match(answer(fromNothing, payment), DEPOSIT).notices).toMatchObject([
      { owners: [DEPOSIT], transaction: null },
      { owners: [DEPOSIT], transaction: { fee: 5_000n } },
    ])
  })

  describe('an answer', () => {
    const kindOf = (text: string) => matchAnswer(7n, text, setOf(DEPOSIT)).kind
    test('without a block has the kind none', () => expect(kindOf('{"result":null}')).toBe('none'))
    test('with an error is passed on unchanged', () => {
      const error = { code: -32007, message: 'Slot 7 was skipped' }
      expect(matchAnswer(7n, JSON.stringify({ error }), setOf())).toEqual({ kind: 'refused', error })
    })
    test.each([
      ['no JSON', '<html>'],
      ['a block without transactions', JSON.stringify({ result: BLOCK })],
      ['balances that do not match accounts', answer(transaction({ keys: [PAYER, DEPOSIT], pre: [1], post: [1] }))],
      ['a blockhash that is none', JSON.stringify({ result: { ...BLOCK, blockhash: '0', transactions: [] } })],
    ])('with %s is malformed', (_, text) => expect(kindOf(text)).toBe('malformed'))
  })

  test('every block gives notices of all payments to watched addresses, and of no others', () => {
    const people = Array.from({ length: 12 }, anAddress)
    const person = fc.nat({ max: people.length - 1 })
    const some = fc.record({
      keys: fc.uniqueArray(person, { minLength: 1, maxLength: 8 }),
      pre: fc.array(fc.nat(50), { minLength: 8, maxLength: 8 }),
      post: fc.array(fc.nat(50), { minLength: 8, maxLength: 8 }),
      tokens: fc.array(fc.tuple(fc.nat(7), person, person, fc.nat(3), fc.nat(3)), { maxLength: 6 }),
      failed: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(some, { maxLength: 6 }), fc.uniqueArray(person, { maxLength: 6 }), (list, watchedAt) => {
        const nameOf = (at: number) => people[at] ?? ''
        const watched = new Set(watchedAt.map(nameOf))
        const expected: (readonly string[])[] = []
        const transactions = list.map(({ keys, pre, post, tokens, failed }) => {
          const amounts = (from: number[]) => keys.map((_, at) => from[at] ?? 0)
          const places = new Map(tokens.map((token) => [`${token[0] % keys.length} ${token[2]}`, token]))
          const held = [...places.values()].map(([at, owner, mint, before, after]) => ({
            place: { at: at % keys.length, mint: nameOf(mint), owner: nameOf(owner) },
            before,
            after,
          }))
          const got = new Set<string>()
          keys.forEach((key, at) => {
            if ((post[at] ?? 0) > (pre[at] ?? 0)) got.add(nameOf(key))
          })
          for (const { place, before, after } of held) if (after > before) got.add(place.owner)
          const named = failed ? [] : [...got].filter((one) => watched.has(one)).sort()
          if (named.length > 0) expected.push(named)
          return transaction({
            keys: keys.map(nameOf),
            pre: amounts(pre),
            post: amounts(post),
            preTokens: held.map(({ place, before }) => ({ ...place, amount: String(before) })),
            postTokens: held.map(({ place, after }) => ({ ...place, amount: String(after) })),
            err: failed ? 'failed' : null,
          })
        })
        const notices = ownersIn(answer(...transactions), [...watched])
        expect(notices).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  const ownersIn = (text: string, watched: readonly string[]): (readonly string[])[] => {
    const matched = matchAnswer(7n, text, setOf(...watched))
    if (matched.kind !== 'block') throw new Error(`it is ${matched.kind}`)
    return matched.block.notices.map(({ owners }) => [...owners].sort())
  }

  describe('a set of addresses', () => {
    test('has every address that was added, and other addresses hardly ever', () => {
      const all = Array.from({ length: 20_000 }, anAddress)
      const set = new AddressSet()
      for (let from = 0; from < all.length; from += 777) set.add(fingerprintsOf(all.slice(from, from + 777)))
      expect(set.size).toBe(all.length)
      expect(all.every((address) => set.mayHave(address))).toBe(true)
      expect(Array.from({ length: 20_000 }, anAddress).filter((address) => set.mayHave(address))).toEqual([])
    })

    test('counts no address twice, and can be copied', () => {
      const all = Array.from({ length: 5_000 }, anAddress)
      const set = setOf(...all, ...all)
      expect(set.size).toBe(5_000)
      const other = new AddressSet()
      other.add(set.fingerprints())
      expect(other.size).toBe(5_000)
      expect(all.every((address) => other.mayHave(address))).toBe(true)
    })
  })
})

// Final blocks from several providers: a block that one lacks is asked of the next.
describe('the source of blocks', () => {
  const depositKeys = createDepositKeys(new Uint8Array(64))
  const hashNo = (number: number): string => getAddressDecoder().decode(new Uint8Array(32).fill(number))

  async function open(...all: Answers[]) {
    const providers = await Promise.all(all.map((answers) => startFakeProvider(answers)))
    const rpcUrls = providers.map(({ url }) => url)
    const clock = movableClock()
    const chain = createChain({ network: 'live', rpcUrls, depositKeys, clock, timeoutMs: 5_000, waitMs: 100 })
    const blocks = chain.openBlocks()
    onTestFinished(() => blocks.close())
    return { chain, blocks, providers, askedFor: (at: number) => providers[at]?.asked.map(({ method }) => method) }
  }

  const payment = (to: string) => ({
    version: 0,
    transaction: {
      signatures: ['5'.repeat(88)],
      accountKeys: [PAYER, to].map((pubkey, at) => ({
        pubkey,
        signer: at === 0,
        writable: true,
        source: 'transaction',
      })),
    },
    meta: {
      err: null,
      fee: 5,
      preBalances: [100, 0],
      postBalances: [85, 10],
      preTokenBalances: [],
      postTokenBalances: [],
    },
  })
  const block = (slot: number, ...transactions: object[]) => ({
    result: {
      blockhash: hashNo(slot),
      previousBlockhash: hashNo(slot - 1),
      parentSlot: slot - 1,
      blockTime: 1_790_000_000,
      transactions,
    },
  })
  const lacks = (code: number) => ({ error: { code, message: 'Slot 7 was skipped, or missing due to ledger jump' } })

  test('a block is asked for as final, without rewards, with every supported transaction version', async () => {
    const { blocks, providers } = await open({ getBlock: block(7) })
    expect(await blocks.finalBlock(7n)).toMatchObject({ slot: 7n, parentSlot: 6n, blockhash: hashNo(7), notices: [] })
    expect(providers[0]?.asked[0]?.params).toEqual([
      7,
      {
        commitment: 'finalized',
        encoding: 'json',
        transactionDetails: 'accounts',
        maxSupportedTransactionVersion: expect.any(Number),
        rewards: false,
      },
    ])
  })

  test('a block is searched for every address that is watched by then', async () => {
    const { blocks } = await open({ getBlock: block(7, payment(DEPOSIT), payment(STRANGER)) })
    expect((await blocks.finalBlock(7n))?.notices).toEqual([])
    expect(blocks.watch([DEPOSIT])).toEqual([DEPOSIT])
    expect((await blocks.finalBlock(7n))?.notices).toMatchObject([{ owners: [DEPOSIT] }])
    expect(blocks.watch([DEPOSIT, STRANGER])).toEqual([STRANGER])
    expect(blocks.watched).toBe(2)
    expect((await blocks.finalBlock(7n))?.notices).toHaveLength(2)
  })

  test.each([
    ['was skipped', -32007],
    ['is not there yet', -32004],
    ['was cleaned up', -32001],
    ['is missing in long-term storage', -32009],
  ])('a block that %s at one provider is taken from the next, without a fault of the first', async (_, code) => {
    const { blocks, chain } = await open({ getBlock: lacks(code) }, { getBlock: block(7) })
    expect(await blocks.finalBlock(7n)).toMatchObject({ slot: 7n })
    expect(chain.rpc.health()).toMatchObject([
      { faults: 0, resting: false },
      { faults: 0, resting: false },
    ])
  })

  test('a block that no provider has is null, and is asked for again', async () => {
    const answers: Answers = { getBlock: lacks(-32007) }
    const { blocks, askedFor } = await open(answers, { getBlock: { result: null } })
    expect(await blocks.finalBlock(7n)).toBeNull()
    answers.getBlock = block(7)
    expect(await blocks.finalBlock(7n)).toMatchObject({ slot: 7n })
    expect(askedFor(0)).toEqual(['getBlock', 'getBlock'])
  })

  test.each([
    ['makes no sense', { result: { transactions: 7 } }],
    ['is an error', { error: { code: -32603, message: 'internal' } }],
    ['is no answer', { http: 503 }],
  ] satisfies [string, Answers[string]][])('when an answer %s, the next provider takes over', async (_, answer) => {
    const { blocks, chain } = await open({ getBlock: answer }, { getBlock: block(7) })
    expect(await blocks.finalBlock(7n)).toMatchObject({ slot: 7n })
    expect(chain.rpc.health()[0]).toMatchObject({ faults: 1, resting: true })
  })

  test('when every provider is away the error says so', async () => {
    const { blocks } = await open({ getBlock: { http: 503 } })
    await expect(blocks.finalBlock(7n)).rejects.toMatchObject({ code: 'chain_unavailable' })
  })

  test('slots are listed after the given slot, and with insist an empty list is asked of the next provider', async () => {
    const { blocks, providers } = await open({ getBlocks: { result: [] } }, { getBlocks: { result: [8, 9] } })
    expect(await blocks.finalSlots(7n, 200, false)).toEqual([])
    expect(await blocks.finalSlots(7n, 200, true)).toEqual([8n, 9n])
    // Kit leaves out the default: finalized.
    expect(providers[1]?.asked[0]?.params).toEqual([8, 207])
  })

  test('the next slots are listed without an end, and an empty list is asked of the next provider', async () => {
    const { blocks, providers } = await open(
      { getBlocksWithLimit: { result: [] } },
      { getBlocksWithLimit: { result: [900_000, 900_001] } },
    )
    expect(await blocks.nextFinalSlots(7n, 200)).toEqual([900_000n, 900_001n])
    expect(providers[1]?.asked[0]?.params).toEqual([8, 200])
  })

  test('the oldest slot is the oldest of all providers', async () => {
    const { blocks } = await open(
      { getFirstAvailableBlock: { result: 700 } },
      { getFirstAvailableBlock: { result: 300 } },
    )
    expect(await blocks.oldestSlot()).toBe(300n)
  })

  test('every block counts as one call', async () => {
    const { blocks, chain } = await open({ getBlock: block(7) })
    await blocks.finalBlock(7n)
    await blocks.finalBlock(7n)
    expect(chain.rpc.calls.get('getBlock')).toBe(2)
  })

  test('a call after closing is refused, not left pending', async () => {
    const { blocks } = await open({ getBlock: block(7) })
    await blocks.finalBlock(7n)
    await blocks.close()
    await expect(blocks.finalBlock(7n)).rejects.toThrow()
  })
})
