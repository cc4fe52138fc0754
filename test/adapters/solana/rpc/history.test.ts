import { type Address, getBase58Decoder, type Signature, signature } from '@solana/kit'
import { expect, test } from 'vitest'
import { createChain } from '#adapters/solana/chain.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import type { HistoryEntry, HistoryPage } from '#ports/chain.ts'
import { anAddress } from '../chain-data.ts'
import { type Answers, movableClock, startFakeProvider } from '../fake-provider.ts'

const depositKeys = createDepositKeys(new Uint8Array(64))

async function chainOf(...all: Answers[]) {
  const providers = await Promise.all(all.map((answers) => startFakeProvider(answers)))
  const rpcUrls = providers.map(({ url }) => url)
  const chain = createChain({ network: 'live', rpcUrls, depositKeys, clock: movableClock(), timeoutMs: 10_000 })
  return { chain, providers, methods: () => providers.map(({ asked }) => asked.map(({ method }) => method)) }
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

const [PAYER, BUYER, DEPOSIT, TABLE_ACCOUNT, FEE_ACCOUNT, MINT, OTHER_MINT] = (await Promise.all(
  Array.from({ length: 7 }, anAddress),
)) as [Address, Address, Address, Address, Address, Address, Address]

const tokenBalance = (accountIndex: number, mint: Address, owner: Address | undefined, amount: string) => ({
  accountIndex,
  mint,
  ...(owner && { owner }),
  programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  uiTokenAmount: { amount, decimals: 6, uiAmount: null, uiAmountString: '0' },
})

/** Returns a getTransaction answer as a validator returns it with encoding `json`. */
const landed = (meta: object = {}, over: object = {}) => ({
  blockTime: 1_770_000_000,
  slot: 5000,
  version: 0,
  transaction: {
    signatures: [aSignature(1)],
    message: {
      accountKeys: [PAYER, BUYER, DEPOSIT],
      header: { numRequiredSignatures: 2, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 0 },
      instructions: [{ programIdIndex: 0, accounts: [1, 2], data: '3Bxs3zzLZLuLQEYX', stackHeight: 1 }],
      recentBlockhash: 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N',
      addressTableLookups: [],
    },
  },
  meta: {
    computeUnitsConsumed: 450,
    err: null,
    fee: 10_000,
    innerInstructions: [],
    loadedAddresses: { writable: [], readonly: [] },
    logMessages: [],
    preBalances: [1_000_000, 900, 50],
    postBalances: [990_000, 100, 850],
    preTokenBalances: [],
    postTokenBalances: [],
    rewards: [],
    status: { Ok: null },
    ...meta,
  },
  ...over,
})

const FINAL = { result: 5000 }
/** The answers of a second provider that reports the transaction as final, too. */
const AGREES: Answers = {
  getSlot: FINAL,
  getSignatureStatuses: {
    result: {
      context: { slot: 5000 },
      value: [{ slot: 5000, confirmations: null, confirmationStatus: 'finalized', err: null, status: { Ok: null } }],
    },
  },
}

const observe = async (answer: unknown, over: Answers = {}) => {
  const { chain } = await chainOf({ getTransaction: { result: answer }, getSlot: FINAL, ...over })
  return chain.transaction(aSignature(1))
}

test('a SOL payment is read from its balances before and after', async () => {
  expect(await observe(landed())).toEqual({
    signature: aSignature(1),
    slot: 5000n,
    blockTime: new Date(1_770_000_000_000),
    error: null,
    fee: 10_000n,
    feePayer: PAYER,
    signers: [PAYER, BUYER],
    changes: [
      { account: PAYER, owner: PAYER, asset: 'SOL', before: 1_000_000n, after: 990_000n },
      { account: BUYER, owner: BUYER, asset: 'SOL', before: 900n, after: 100n },
      { account: DEPOSIT, owner: DEPOSIT, asset: 'SOL', before: 50n, after: 850n },
    ],
    accounts: [PAYER, BUYER, DEPOSIT],
    memos: [],
  })
})

test('accounts from lookup tables follow the static accounts, writable before readonly', async () => {
  const observed = await observe(
    landed({
      loadedAddresses: { writable: [TABLE_ACCOUNT], readonly: [FEE_ACCOUNT] },
      preBalances: [20_000, 5, 5, 0, 7],
      postBalances: [9_000, 5, 5, 6_000, 7],
      postTokenBalances: [tokenBalance(3, MINT, DEPOSIT, '9')],
    }),
  )
  expect(observed?.changes).toEqual([
    { account: PAYER, owner: PAYER, asset: 'SOL', before: 20_000n, after: 9_000n },
    { account: TABLE_ACCOUNT, owner: TABLE_ACCOUNT, asset: 'SOL', before: 0n, after: 6_000n },
    { account: TABLE_ACCOUNT, owner: DEPOSIT, asset: MINT, before: 0n, after: 9n },
  ])
})

test('token accounts that are made, closed or used again for another mint change from and to zero', async () => {
  const observed = await observe(
    landed({
      preBalances: [5, 5, 5],
      postBalances: [5, 5, 5],
      preTokenBalances: [tokenBalance(0, MINT, PAYER, '18446744073709551615'), tokenBalance(1, MINT, BUYER, '4')],
      postTokenBalances: [tokenBalance(1, OTHER_MINT, BUYER, '4'), tokenBalance(2, MINT, undefined, '3')],
    }),
  )
  expect(observed?.changes).toEqual([
    { account: PAYER, owner: PAYER, asset: MINT, before: 18446744073709551615n, after: 0n },
    { account: BUYER, owner: BUYER, asset: MINT, before: 4n, after: 0n },
    { account: BUYER, owner: BUYER, asset: OTHER_MINT, before: 0n, after: 4n },
    { account: DEPOSIT, owner: DEPOSIT, asset: MINT, before: 0n, after: 3n },
  ])
})

test('a token balance that did not change is left out', async () => {
  const same = [tokenBalance(1, MINT, BUYER, '4')]
  const observed = await observe(landed({ preTokenBalances: same, postTokenBalances: same }))
  expect(observed?.changes.filter(({ asset }) => asset !== 'SOL')).toEqual([])
})

test('a failed transaction has its error and moved only its fee', async () => {
  const observed = await observe(
    landed({
      err: { InstructionError: [2, { Custom: 1 }] },
      preBalances: [20_000, 7, 7],
      postBalances: [10_000, 7, 7],
      preTokenBalances: null,
      postTokenBalances: null,
    }),
  )
  expect(observed?.error).toBe('{"InstructionError":[2,{"Custom":1}]}')
  expect(observed?.changes).toHaveLength(1)
})

test('the fee is the lamports that are missing afterwards, whatever the node calls the fee', async () => {
  const observed = await observe(landed({ fee: 5_000, preBalances: [20_000, 1, 1], postBalances: [9_981, 1, 1] }))
  expect(observed?.fee).toBe(10_019n)
})

test.each([null, 1_795_201])('a block time of %s is not used: the block itself is asked', async (blockTime) => {
  const answer = landed({}, { blockTime })
  const asked = await observe(answer, { getBlockTime: { result: 1_770_000_001 } })
  expect(asked?.blockTime).toEqual(new Date(1_770_000_001_000))
  const unknown = await observe(answer, { getBlockTime: { result: blockTime } })
  expect(unknown?.blockTime).toBeNull()
})

test.each([
  ['has no balances', landed({}, { meta: null })],
  ['has balances for other accounts', landed({ postBalances: [1, 2] })],
  ['names a token account that is not there', landed({ postTokenBalances: [tokenBalance(3, MINT, BUYER, '1')] })],
])('an answer that %s is refused, and the next provider is asked', async (_, answer) => {
  const { chain } = await chainOf(
    { getTransaction: { result: answer }, ...AGREES },
    { getTransaction: { result: landed() } },
  )
  expect((await chain.transaction(aSignature(1)))?.changes).toHaveLength(3)
})

test('a transaction that one provider has dropped is found with another, and null only when none knows it', async () => {
  const forgetful: Answers = { getTransaction: { result: null }, ...AGREES }
  const { chain } = await chainOf(forgetful, { getTransaction: { result: landed() } })
  expect((await chain.transaction(aSignature(1)))?.slot).toBe(5000n)
  const { chain: other, methods } = await chainOf(forgetful, forgetful)
  expect(await other.transaction(aSignature(1))).toBeNull()
  expect(methods()).toEqual([['getTransaction'], ['getTransaction']])
})

test('a transaction is asked for with the highest supported version', async () => {
  const { chain, providers } = await chainOf({ getTransaction: { result: landed() }, getSlot: FINAL })
  await chain.transaction(aSignature(1))
  // Without a commitment, a node answers what is final.
  expect(providers[0]?.asked[0]?.params[1]).toEqual({ encoding: 'json', maxSupportedTransactionVersion: 1 })
})

test('a transaction is final only when its slot is, whatever the node returns', async () => {
  let finalized = 4999
  const { chain } = await chainOf({ getTransaction: { result: landed() }, getSlot: () => ({ result: finalized }) })
  expect(await chain.transaction(aSignature(1))).toBeNull()
  finalized = 5000
  expect((await chain.transaction(aSignature(1)))?.slot).toBe(5000n)
})

const entry = (n: number, confirmationStatus: string | null = 'finalized', err: unknown = null) => ({
  signature: aSignature(n),
  slot: 10_000 - n,
  err,
  memo: null,
  blockTime: 1_770_000_000,
  confirmationStatus,
})

test('a finalized list shows that its transactions are final without another call', async () => {
  const { chain, methods } = await chainOf({
    getSignaturesForAddress: { result: [entry(1), entry(9000)] },
    getTransaction: { result: landed() },
  })
  await chain.signatures(DEPOSIT, {})
  expect(await chain.transaction(aSignature(1))).not.toBeNull()
  expect(methods()).toEqual([['getSignaturesForAddress', 'getTransaction']])
})

/** Returns a history as a node lists it, newest first. */
const historyOf =
  (all: readonly ReturnType<typeof entry>[]): Answers[string] =>
  ([, config]) => {
    const { before, limit } = config as { before?: string; limit: number }
    const start = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1
    return { result: all.slice(start, start + limit) }
  }

test('a long history is listed page by page, newest first, back to the known signature', async () => {
  const all = Array.from({ length: 250 }, (_, n) =>
    entry(n, n < 5 ? null : 'finalized', n === 3 ? { InstructionError: [0, 'x'] } : null),
  )
  const { chain, providers } = await chainOf({ getSignaturesForAddress: historyOf(all) })
  const known = aSignature(9000)
  const entries: HistoryEntry[] = []
  for (let before: Signature | null = null; ; ) {
    const page: HistoryPage = await chain.signatures(DEPOSIT, { before, until: known })
    entries.push(...page.entries)
    before = page.next
    if (before === null) break
  }
  expect(entries).toHaveLength(250)
  expect(entries.slice(2, 6)).toEqual([
    { signature: aSignature(2), slot: 9998n, failed: false },
    { signature: aSignature(3), slot: 9997n, failed: true },
    { signature: aSignature(4), slot: 9996n, failed: false },
    { signature: aSignature(5), slot: 9995n, failed: false },
  ])
  expect(providers[0]?.asked.map(({ params }) => params[1])).toEqual([
    { limit: 100, until: known },
    { limit: 100, until: known, before: aSignature(99) },
    { limit: 100, until: known, before: aSignature(199) },
  ])
})

test('a history is never asked for with a least slot: some nodes use it as a filter', async () => {
  const { chain, providers } = await chainOf({ getSignaturesForAddress: { result: [entry(1)] } })
  await chain.signatures(DEPOSIT, {})
  await chain.signatures(DEPOSIT, {})
  expect(providers[0]?.asked).toHaveLength(2)
  for (const { params } of providers[0]?.asked ?? []) expect(params[1]).not.toHaveProperty('minContextSlot')
})

const covers = { from: 100n, upTo: 5000n }

test.each([
  { what: 'has not reached the last slot', getSlot: 4999, getFirstAvailableBlock: 0 },
  { what: 'has forgotten the first slot', getSlot: 5000, getFirstAvailableBlock: 101 },
])('a provider that $what is not asked for its history', async ({ what: _, ...slots }) => {
  const answers = Object.fromEntries(Object.entries(slots).map(([method, result]) => [method, { result }]))
  const { chain, methods } = await chainOf(
    { ...answers, getSignaturesForAddress: { result: [entry(1)] } },
    { getSlot: { result: 5000 }, getFirstAvailableBlock: { result: 100 }, getSignaturesForAddress: { result: [] } },
  )
  expect(await chain.signatures(DEPOSIT, { covers })).toEqual({ entries: [], next: null })
  expect(methods()[0]).not.toContain('getSignaturesForAddress')
})

test.each([
  { what: 'no first slot is asked for', first: { result: 101 }, from: null },
  { what: 'the provider cannot say what it has', first: { error: { code: -32601, message: '' } }, from: 100n },
])('a history is given when $what', async ({ first, from }) => {
  const { chain } = await chainOf({
    getSlot: { result: 5000 },
    getFirstAvailableBlock: first,
    getSignaturesForAddress: { result: [entry(1)] },
  })
  expect((await chain.signatures(DEPOSIT, { covers: { from, upTo: 5000n } })).entries).toHaveLength(1)
})

test('no history is given when every provider has forgotten the first slot', async () => {
  const pruned: Answers = { getSlot: { result: 5000 }, getFirstAvailableBlock: { result: 101 } }
  const { chain } = await chainOf(pruned, pruned)
  await expect(chain.signatures(DEPOSIT, { covers })).rejects.toMatchObject({
    context: { reason: 'no provider has the history from slot 100' },
  })
})

test('an empty page does not count while another provider lists a signature', async () => {
  const behind: Answers = { getSignaturesForAddress: { result: [] } }
  const { chain, methods } = await chainOf(behind, { getSignaturesForAddress: { result: [entry(1)] } })
  expect((await chain.signatures(DEPOSIT, {})).entries).toHaveLength(1)
  const { chain: alone } = await chainOf(behind, behind)
  expect(await alone.signatures(DEPOSIT, {})).toEqual({ entries: [], next: null })
  expect(methods()).toEqual([['getSignaturesForAddress'], ['getSignaturesForAddress']])
})

test('another number asks another provider first, which may list what the first one lacks', async () => {
  const { chain } = await chainOf(
    { getSignaturesForAddress: { result: [entry(1)] } },
    { getSignaturesForAddress: { result: [entry(1), entry(2)] } },
  )
  const listed = async (firstProvider: number) => (await chain.signatures(DEPOSIT, { firstProvider })).entries.length
  expect([await listed(0), await listed(1), await listed(2), await listed(3)]).toEqual([1, 2, 1, 2])
})

test('an entry that is not final is left out, even when the node lists it', async () => {
  const mixed: Answers = { getSignaturesForAddress: { result: [entry(1, 'confirmed'), entry(2), entry(3, null)] } }
  const { chain } = await chainOf(mixed)
  const { entries } = await chain.signatures(DEPOSIT, {})
  expect(entries.map(({ signature }) => signature)).toEqual([aSignature(2), aSignature(3)])
})

test('a full page with entries left out still leads to the next page', async () => {
  const all = Array.from({ length: 101 }, (_, n) => entry(n, n < 100 ? 'confirmed' : 'finalized'))
  const { chain } = await chainOf({ getSignaturesForAddress: historyOf(all) })
  const first = await chain.signatures(DEPOSIT, {})
  expect(first).toEqual({ entries: [], next: aSignature(99) })
  const second = await chain.signatures(DEPOSIT, { before: first.next })
  expect(second.entries).toHaveLength(1)
})
