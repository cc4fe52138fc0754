// Compared with micro-key-producer's SLIP-0010, and with kit's own search for token accounts.
import { type Address, getAddressDecoder } from '@solana/kit'
import { findAssociatedTokenPda } from '@solana-program/token'
import fc from 'fast-check'
import { HDKey } from 'micro-key-producer/slip10.js'
import { expect, test } from 'vitest'
import { createAddressDeriver } from '#adapters/solana/keys/address-deriver.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import type { KeyPath } from '#core/chain/keys.ts'

const decoder = getAddressDecoder()
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const anAddress = bytes(32).map((raw): Address => decoder.decode(raw))
const aNetwork = fc.constantFrom('live' as const, 'test' as const)
const anIndex = fc.integer({ min: 1, max: 2 ** 31 - 1 })

const oracle = (seed: Uint8Array, path: string) => decoder.decode(HDKey.fromMasterSeed(seed).derive(path).publicKeyRaw)
const coinOf = (network: 'live' | 'test') => (network === 'live' ? 501 : 1)

test("a deposit address is SLIP-0010's at m/44'/coin'/account'/intent', for any seed, account and intent", () => {
  fc.assert(
    fc.property(bytes(64), aNetwork, anIndex, anIndex, (seed, network, account, intent) => {
      const keys = createDepositKeys(seed)
      const expected = oracle(seed, `m/44'/${coinOf(network)}'/${account}'/${intent}'`)
      // Asked twice, because the second answer comes from the cached account.
      for (const _ of [1, 2]) expect(keys.addressOf({ network, branch: 'deposit', account, intent })).toBe(expected)
    }),
    { numRuns: 60 },
  )
})

test("the service's own keys are under account 0, which takes no deposits", () => {
  const seed = new Uint8Array(64).fill(7)
  const keys = createDepositKeys(seed)
  for (const network of ['live', 'test'] as const) {
    const at = (leaf: number) => oracle(seed, `m/44'/${coinOf(network)}'/0'/${leaf}'`)
    expect(keys.addressOf({ network, branch: 'fee_payer' })).toBe(at(0))
    expect(keys.addressOf({ network, branch: 'delegate' })).toBe(at(1))
    expect(() => keys.addressOf({ network, branch: 'deposit', account: 0, intent: 1 })).toThrow(RangeError)
  }
})

test.each([
  { account: 1, intent: 0 },
  { account: 1, intent: -1 },
  { account: 1, intent: 2 ** 31 },
  { account: 1.5, intent: 1 },
  { account: 2 ** 31, intent: 1 },
])('an index that is reserved or cannot be hardened gives no address: %o', (indexes) => {
  const path: KeyPath = { network: 'live', branch: 'deposit', ...indexes }
  expect(() => createDepositKeys(new Uint8Array(64)).addressOf(path)).toThrow(RangeError)
})

test('more accounts than are cached still give the right addresses', () => {
  const seed = new Uint8Array(64).fill(3)
  const keys = createDepositKeys(seed)
  const first = keys.addressOf({ network: 'live', branch: 'deposit', account: 1, intent: 9 })
  for (let account = 2; account < 4500; account += 1)
    keys.addressOf({ network: 'test', branch: 'deposit', account, intent: 1 })
  expect(keys.addressOf({ network: 'live', branch: 'deposit', account: 1, intent: 9 })).toBe(first)
}, 20_000)

test("a token account is the associated token program's, for any owner, mint and program", async () => {
  const keys = createDepositKeys(new Uint8Array(64))
  await fc.assert(
    fc.asyncProperty(anAddress, anAddress, anAddress, async (owner, mint, tokenProgram) => {
      const [expected] = await findAssociatedTokenPda({ owner, mint, tokenProgram })
      expect(await keys.tokenAccountOf(owner, mint, tokenProgram)).toBe(expected)
      expect(await keys.tokenAccountOf(owner, mint, tokenProgram)).toBe(expected)
    }),
    { numRuns: 200 },
  )
})

test('the thread that derives many addresses gives those of the seed, in the order of their indexes', async () => {
  const seed = new Uint8Array(64).fill(9)
  const keys = createDepositKeys(seed)
  const deriver = createAddressDeriver(seed)
  const indexes = Array.from({ length: 300 }, (_, at) => 2 ** 31 - 1 - at)
  for (const network of ['live', 'test'] as const)
    expect(await deriver.derive(network, 7, indexes)).toEqual(
      indexes.map((intent) => keys.addressOf({ network, branch: 'deposit', account: 7, intent })),
    )
  await deriver.close()
})
