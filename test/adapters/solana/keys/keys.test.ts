// Compared with micro-key-producer's SLIP-0010, and with kit's own search for token accounts.

import { generateKeyPairSync, sign } from 'node:crypto'
import { type Address, getAddressDecoder } from '@solana/kit'
import { findAssociatedTokenPda } from '@solana-program/token'
import fc from 'fast-check'
import { HDKey } from 'micro-key-producer/slip10.js'
import { describe, expect, test } from 'vitest'
import { createAddressDeriver } from '#adapters/solana/keys/address-deriver.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { loadMasterSeed, newMnemonic, seedFingerprint, serviceSecretsOf } from '#adapters/solana/keys/seed.ts'
import { verifyWalletSignature } from '#adapters/solana/transactions/wallet-transactions.ts'
import type { KeyPath } from '#core/chain/keys.ts'
import { addressOfBytes } from '#core/chain/public-key.ts'

describe('deposit keys', () => {
  const decoder = getAddressDecoder()
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
  const anAddress = bytes(32).map((raw): Address => decoder.decode(raw))
  const aNetwork = fc.constantFrom('live' as const, 'test' as const)
  const anIndex = fc.integer({ min: 1, max: 2 ** 31 - 1 })

  const oracle = (seed: Uint8Array, path: string) =>
    decoder.decode(HDKey.fromMasterSeed(seed).derive(path).publicKeyRaw)
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
  })

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
})

describe('seed', () => {
  const ABANDON = `${'abandon '.repeat(11)}about`
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

  test("a mnemonic gives BIP-39's own seed", () => {
    // The first vector of BIP-39 without a passphrase.
    expect(hex(loadMasterSeed(ABANDON))).toBe(
      '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4',
    )
  })

  test('white space and capitals in the words change nothing', () => {
    expect(loadMasterSeed(`  ${ABANDON.toUpperCase().replaceAll(' ', ' \n ')}\n`)).toEqual(loadMasterSeed(ABANDON))
  })

  test('a new mnemonic has 24 words and loads', () => {
    const mnemonic = newMnemonic()
    expect(mnemonic.split(' ')).toHaveLength(24)
    expect(loadMasterSeed(mnemonic)).toHaveLength(64)
    expect(newMnemonic()).not.toBe(mnemonic)
  })

  test.each([
    ['', /12 to 24 words.*has 0$/],
    ['abandon about', /12 to 24 words.*has 2$/],
    [ABANDON.replace('about', 'xyzzyplugh'), /^word 12 of the master seed/],
    ['abandon '.repeat(12), /^the checksum of the master seed is wrong/],
  ])('a bad mnemonic is refused with one line that does not repeat it: %s', (mnemonic, message) => {
    expect(() => loadMasterSeed(mnemonic)).toThrow(message)
    expect(() => loadMasterSeed(mnemonic)).not.toThrow(/\n|xyzzyplugh/)
  })

  test('a fingerprint distinguishes seeds, is stable, and reveals nothing of the seed', () => {
    const seed = loadMasterSeed(ABANDON)
    const print = seedFingerprint(seed)
    expect(print).toMatch(/^[0-9a-f]{64}$/)
    expect(print).toBe(seedFingerprint(Uint8Array.from(seed)))
    expect(print).not.toBe(seedFingerprint(new Uint8Array(64)))
    // No label may give the fingerprint as a service secret.
    for (const label of ['', 'fingerprint']) expect(hex(serviceSecretsOf(seed)(label))).not.toBe(print)
  })

  test('each label and each seed has its own service secret', () => {
    const seed = loadMasterSeed(ABANDON)
    const secrets = [
      serviceSecretsOf(seed)('cursor-signing'),
      serviceSecretsOf(seed)('webhook-secrets'),
      serviceSecretsOf(new Uint8Array(64))('cursor-signing'),
    ].map(hex)
    expect(new Set(secrets).size).toBe(3)
    expect(secrets[0]).toHaveLength(64)
  })
})

// Signatures of wallets are verified as the validators do it.
describe('wallet signature', () => {
  function newWallet() {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const { x = '' } = publicKey.export({ format: 'jwk' })
    return { privateKey, address: addressOfBytes(Buffer.from(x, 'base64url')) }
  }
  const [wallet, other] = [newWallet(), newWallet()]
  const aMessage = fc.uint8Array({ minLength: 0, maxLength: 300 })

  test('a wallet’s own signature of the exact message is valid, and no other is', () => {
    fc.assert(
      fc.property(aMessage, fc.nat(63), fc.integer({ min: 1, max: 255 }), (message, at, flip) => {
        const signature = Uint8Array.from(sign(null, message, wallet.privateKey))
        expect(verifyWalletSignature(wallet.address, message, signature)).toBe(true)
        expect(verifyWalletSignature(other.address, message, signature)).toBe(false)
        expect(verifyWalletSignature(wallet.address, Uint8Array.of(...message, 0), signature)).toBe(false)
        expect(verifyWalletSignature(wallet.address, message, signature.with(at, (signature[at] ?? 0) ^ flip))).toBe(
          false,
        )
        expect(verifyWalletSignature(wallet.address, message, signature.subarray(0, 63))).toBe(false)
      }),
      { numRuns: 50 },
    )
  })

  test('no signature is valid for an address that is a key of small order', () => {
    const everyone = Uint8Array.of(1, ...new Uint8Array(31))
    const forged = Uint8Array.of(...everyone, ...new Uint8Array(32))
    const message = Buffer.from('A forged text')
    expect(verifyWalletSignature(addressOfBytes(everyone), message, forged)).toBe(false)
    expect(verifyWalletSignature(addressOfBytes(new Uint8Array(32)), message, forged)).toBe(false)
  })

  test('a signature has no second form', () => {
    const message = Buffer.from('once')
    const signature = Uint8Array.from(sign(null, message, wallet.privateKey))
    const order = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
    const number = BigInt(`0x${Buffer.from(signature.toReversed().subarray(0, 32)).toString('hex')}`) + order
    const bytes = Uint8Array.from(Buffer.from(number.toString(16).padStart(64, '0'), 'hex')).toReversed()
    const second = Uint8Array.of(...signature.subarray(0, 32), ...bytes)
    expect(second).toHaveLength(64)
    expect(verifyWalletSignature(wallet.address, message, second)).toBe(false)
  })
})
