import { type Address, getAddressEncoder } from '@solana/kit'
import { AccountState, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { expect, test } from 'vitest'
import { createChain } from '#adapters/solana/chain.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { TOKEN_2022_PROGRAM_ADDRESS } from '#adapters/solana/rpc/token-data.ts'
import { anAddress, mintData, rawAccount, tokenAccountData, u64 } from '../chain-data.ts'
import { type Answers, inContext, movableClock, startFakeProvider } from '../fake-provider.ts'

const depositKeys = createDepositKeys(new Uint8Array(64))

async function chainOf(...all: Answers[]) {
  const clock = movableClock()
  const providers = await Promise.all(all.map((answers) => startFakeProvider(answers)))
  const rpcUrls = providers.map(({ url }) => url)
  return {
    chain: createChain({ network: 'live', rpcUrls, depositKeys, clock, timeoutMs: 10_000, waitMs: 300 }),
    clock,
    providers,
  }
}

const addresses = (count: number) => Promise.all(Array.from({ length: count }, anAddress))

test('250 accounts are read in three calls and answered in the order asked, at the oldest slot', async () => {
  const accounts = await addresses(250)
  let slot = 1000
  const { chain, providers } = await chainOf({
    getMultipleAccounts: ([asked]) => {
      slot += 1
      return inContext(
        slot,
        (asked as Address[]).map((account) => rawAccount(accounts.indexOf(account) + 1)),
      )
    },
  })
  const { slot: oldest, states } = await chain.readAccounts(accounts)
  expect(states.map((state) => state?.lamports)).toEqual(accounts.map((_, index) => BigInt(index + 1)))
  expect(oldest).toBe(1001n)
  expect(providers[0]?.asked.map(({ params }) => (params[0] as Address[]).length)).toEqual([100, 100, 50])
  expect(providers[0]?.asked[0]?.params[1]).toEqual({ encoding: 'base64' })
})

test('no accounts cost no call', async () => {
  const { chain, providers } = await chainOf({})
  expect(await chain.readAccounts([])).toEqual({ slot: 0n, states: [] })
  expect(providers[0]?.asked).toEqual([])
})

test('token accounts of both programs are read with frozen state, withheld amount, delegate and close authority, and no other account is', async () => {
  const [mint, owner, account] = (await addresses(3)) as [Address, Address, Address]
  const classic = tokenAccountData({ mint, owner, amount: 2n ** 64n - 1n })
  const delegation = { delegate: account, allowance: 3n }
  const frozen = tokenAccountData({ mint, owner, amount: 5n, state: AccountState.Frozen, delegation })
  const withFee = tokenAccountData({
    mint,
    owner,
    amount: 7n,
    extensions: [
      { type: 7, data: new Uint8Array() },
      { type: 2, data: u64(42n) },
    ],
  })
  // The tag, and the wallet that may close the account.
  frozen.set([1, 0, 0, 0, ...getAddressEncoder().encode(account)], 129)
  const saysMint = Uint8Array.from(withFee)
  saysMint[165] = 1
  const uninitialized = tokenAccountData({ mint, owner, amount: 0n, state: AccountState.Uninitialized })
  const { chain } = await chainOf({
    getMultipleAccounts: inContext(5, [
      null,
      rawAccount(10),
      rawAccount(20, TOKEN_PROGRAM_ADDRESS, classic),
      rawAccount(30, TOKEN_2022_PROGRAM_ADDRESS, frozen),
      rawAccount(40, TOKEN_2022_PROGRAM_ADDRESS, withFee),
      // A mint, an account that is not initialized, one with a multisig's length, and one of another program.
      rawAccount(50, TOKEN_2022_PROGRAM_ADDRESS, saysMint),
      rawAccount(60, TOKEN_PROGRAM_ADDRESS, uninitialized),
      rawAccount(70, TOKEN_PROGRAM_ADDRESS, new Uint8Array(355).fill(2)),
      rawAccount(80, owner, classic),
    ]),
  })
  const { states } = await chain.readAccounts(Array.from({ length: 9 }, () => account))
  expect(states.map((state) => state?.token ?? null)).toEqual([
    null,
    null,
    { mint, owner, amount: 2n ** 64n - 1n, frozen: false, withheld: 0n, delegation: null, closeAuthority: null },
    { mint, owner, amount: 5n, frozen: true, withheld: 0n, delegation, closeAuthority: account },
    { mint, owner, amount: 7n, frozen: false, withheld: 42n, delegation: null, closeAuthority: null },
    null,
    null,
    null,
    null,
  ])
  expect(states[0]).toBeNull()
  expect(states[2]).toMatchObject({ lamports: 20n, ownerProgram: TOKEN_PROGRAM_ADDRESS })
})

test('an answer with fewer accounts than asked is refused', async () => {
  const [a, b] = (await addresses(2)) as [Address, Address]
  const { chain } = await chainOf(
    { getMultipleAccounts: inContext(5, [rawAccount(1)]) },
    { getMultipleAccounts: inContext(5, [rawAccount(3), rawAccount(4)]) },
  )
  expect((await chain.readAccounts([a, b])).states.map((state) => state?.lamports)).toEqual([3n, 4n])
})

test('an answer of a lagging provider is refused', async () => {
  const [account] = (await addresses(1)) as [Address]
  const ahead = inContext(1000, [rawAccount(7)])
  const { chain, providers } = await chainOf({ getMultipleAccounts: ahead }, { getMultipleAccounts: ahead })
  await chain.readAccounts([account])

  // The first provider falls behind and, like some providers, ignores minContextSlot.
  Object.assign(providers[0]?.answers ?? {}, { getMultipleAccounts: inContext(999, [rawAccount(3)]) })
  const { slot, states } = await chain.readAccounts([account])
  expect([slot, states[0]?.lamports]).toEqual([1000n, 7n])
  expect(providers[0]?.asked.at(-1)?.params[1]).toMatchObject({ minContextSlot: 1000 })
})

test('a provider that reports that it lags is passed over too', async () => {
  const [account] = (await addresses(1)) as [Address]
  const lagging = { error: { code: -32016, message: 'Minimum context slot has not been reached', data: {} } }
  const { chain } = await chainOf(
    { getMultipleAccounts: lagging },
    { getMultipleAccounts: inContext(1000, [rawAccount(7)]) },
  )
  expect((await chain.readAccounts([account])).slot).toBe(1000n)
})

test('a provider that reports that it lags is asked again a moment later when it is the only provider', async () => {
  const [account] = (await addresses(1)) as [Address]
  let asked = 0
  const { chain } = await chainOf({
    getMultipleAccounts: () => {
      asked += 1
      return asked === 1
        ? { error: { code: -32016, message: 'Minimum context slot has not been reached' } }
        : inContext(1000, [rawAccount(7)])
    },
  })
  expect((await chain.readAccounts([account])).slot).toBe(1000n)
})

test('a slot that no other provider reaches is dropped after half a minute, so that a wrong answer shuts none out', async () => {
  const [account] = (await addresses(1)) as [Address]
  const { chain, clock, providers } = await chainOf({
    getMultipleAccounts: inContext(Number.MAX_SAFE_INTEGER, [rawAccount(7)]),
  })
  await chain.readAccounts([account])
  Object.assign(providers[0]?.answers ?? {}, { getMultipleAccounts: inContext(1000, [rawAccount(8)]) })
  await expect(chain.readAccounts([account])).rejects.toMatchObject({ code: 'chain_unavailable' })
  clock.advance(30_001)
  expect((await chain.readAccounts([account])).states[0]?.lamports).toBe(8n)
})

const SYSVARS = 'Sysvar1111111111111111111111111111111111111'
const clockData = (slot: bigint, epoch: bigint, seconds: bigint): Uint8Array => {
  const data = new Uint8Array(40)
  const view = new DataView(data.buffer)
  view.setBigUint64(0, slot, true)
  view.setBigUint64(16, epoch, true)
  view.setBigInt64(32, seconds, true)
  return data
}

/** Reads the mint in epoch 7. */
const readMint = async (owner: string, data: Uint8Array) => {
  const accounts = [rawAccount(1, owner, data), rawAccount(1, SYSVARS, clockData(5n, 7n, 0n))]
  const { chain } = await chainOf({ getMultipleAccounts: inContext(5, accounts) })
  return chain.readMint(await anAddress())
}
const empty = new Uint8Array()

test('a classic mint has its decimals and no extensions', async () => {
  expect(await readMint(TOKEN_PROGRAM_ADDRESS, mintData(9))).toMatchObject({
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
    decimals: 9,
    extensions: [],
    active: [],
  })
})

test('the extensions of a Token-2022 mint are named, unknown extensions by their number', async () => {
  const known = [1, 3, 4, 6, 9, 10, 12, 14, 16, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 29, 1000]
  const data = mintData(
    6,
    known.map((type) => ({ type, data: type === 6 ? Uint8Array.of(1) : empty })),
  )
  expect(await readMint(TOKEN_2022_PROGRAM_ADDRESS, data)).toMatchObject({
    decimals: 6,
    extensions: [
      'transfer-fee-config',
      'mint-close-authority',
      'confidential-transfer-mint',
      'default-account-state',
      'non-transferable',
      'interest-bearing-config',
      'permanent-delegate',
      'transfer-hook',
      'confidential-transfer-fee-config',
      'metadata-pointer',
      'token-metadata',
      'group-pointer',
      'token-group',
      'group-member-pointer',
      'token-group-member',
      'confidential-mint-burn',
      'scaled-ui-amount',
      'pausable',
      'permissioned-burn',
      'unknown-29',
      'unknown-1000',
    ],
  })
})

const content = (bytes: number, write: (data: Buffer) => void = () => {}) => {
  const data = Buffer.alloc(bytes)
  write(data)
  return data
}

/** A fee in basis points until an epoch, and another one from then on. */
const feeConfig = (older: number, epoch: bigint, newer: number) =>
  content(108, (data) => {
    data.writeUInt16LE(older, 88)
    data.writeBigUInt64LE(epoch, 90)
    data.writeUInt16LE(newer, 106)
  })

test.each<[string, number, Uint8Array, Uint8Array]>([
  ['starts accounts frozen', 6, Uint8Array.of(1), Uint8Array.of(2)],
  ['takes a fee', 1, feeConfig(1, 7n, 0), feeConfig(0, 7n, 1)],
  ['takes a fee until a later epoch', 1, feeConfig(1, 7n, 0), feeConfig(1, 8n, 0)],
  ['will take a fee at a later epoch', 1, feeConfig(0, 8n, 0), feeConfig(0, 8n, 1)],
  [
    'has a hook with a program',
    14,
    content(64, (data) => data.fill(7, 0, 32)),
    content(64, (data) => data.fill(7, 63)),
  ],
  ['is paused', 26, content(33, (data) => data.fill(7, 0, 32)), content(33, (data) => data.fill(1, 32))],
])('a mint that %s is distinguished from one that only can', async (_what, type, idle, acting) => {
  const read = async (data: Uint8Array) => readMint(TOKEN_2022_PROGRAM_ADDRESS, mintData(6, [{ type, data }]))
  expect((await read(idle))?.active).toEqual([])
  const found = await read(acting)
  expect(found?.active).toEqual(found?.extensions)
  // An extension that is too short to be read counts as acting.
  expect((await read(empty))?.active).toEqual(found?.extensions)
})

test('an extension that is cut short is named unreadable, and so denied, not left out', async () => {
  const data = mintData(6, [{ type: 18, data: new Uint8Array(64) }]).subarray(0, 200)
  expect(await readMint(TOKEN_2022_PROGRAM_ADDRESS, data)).toMatchObject({ extensions: ['unreadable'] })
})

test('an account that is no mint gives null: a wallet, a token account, not initialized, or of another program', async () => {
  const [owner, mint] = (await addresses(2)) as [Address, Address]
  const account = tokenAccountData({ mint, owner, amount: 1n, extensions: [] })
  expect(await readMint('11111111111111111111111111111111', empty)).toBeNull()
  expect(await readMint(TOKEN_2022_PROGRAM_ADDRESS, account)).toBeNull()
  expect(await readMint(TOKEN_PROGRAM_ADDRESS, mintData(6, undefined, false))).toBeNull()
  expect(await readMint(TOKEN_PROGRAM_ADDRESS, mintData(6, []))).toBeNull()
  expect(await readMint(owner, mintData(6))).toBeNull()
})

test("the chain's clock is read from its clock account", async () => {
  const clock = rawAccount(1, SYSVARS, clockData(777n, 3n, 1_800_000_000n))
  const { chain, providers } = await chainOf({ getMultipleAccounts: inContext(777, [clock]) })
  expect(await chain.blockTime()).toEqual({ slot: 777n, time: new Date(1_800_000_000_000) })
  expect(providers[0]?.asked[0]?.params[0]).toEqual(['SysvarC1ock11111111111111111111111111111111'])
})

test('the rent minimum is cached for ten seconds', async () => {
  let rent = 2_039_280
  const { chain, clock, providers } = await chainOf({ getMinimumBalanceForRentExemption: () => ({ result: rent }) })
  expect(await Promise.all([chain.minimumBalance(165), chain.minimumBalance(165)])).toEqual([2_039_280n, 2_039_280n])
  await chain.minimumBalance(0)
  rent = 1_000_000
  clock.advance(9_999)
  expect(await chain.minimumBalance(165)).toBe(2_039_280n)
  expect(providers[0]?.asked.map(({ params }) => params[0])).toEqual([165, 0])
  clock.advance(1)
  expect(await chain.minimumBalance(165)).toBe(1_000_000n)
})

test('providers of two networks are refused, and a provider that is away is ignored', async () => {
  const { chain } = await chainOf({ getGenesisHash: { result: 'one' } }, { getGenesisHash: { result: 'other' } })
  await expect(chain.genesisHash()).rejects.toMatchObject({
    code: 'chain_unavailable',
    context: { reason: 'providers of different networks' },
  })
  const { chain: other } = await chainOf({ getGenesisHash: { http: 500 } }, { getGenesisHash: { result: 'one' } })
  expect(await other.genesisHash()).toBe('one')
})
