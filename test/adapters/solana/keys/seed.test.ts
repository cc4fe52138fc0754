import { expect, test } from 'vitest'
import { deriveServiceSecret, loadMasterSeed, newMnemonic, seedFingerprint } from '#adapters/solana/keys/seed.ts'

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
  for (const label of ['', 'fingerprint']) expect(hex(deriveServiceSecret(seed, label))).not.toBe(print)
})

test('each label and each seed has its own service secret', () => {
  const seed = loadMasterSeed(ABANDON)
  const secrets = [
    deriveServiceSecret(seed, 'cursor-signing'),
    deriveServiceSecret(seed, 'webhook-secrets'),
    deriveServiceSecret(new Uint8Array(64), 'cursor-signing'),
  ].map(hex)
  expect(new Set(secrets).size).toBe(3)
  expect(secrets[0]).toHaveLength(64)
})
