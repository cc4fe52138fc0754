// The master seed: one BIP-39 mnemonic from which every key and every service secret is derived.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { generateMnemonic, mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'

const WORD_COUNTS: readonly number[] = [12, 15, 18, 21, 24]
const WORDS: ReadonlySet<string> = new Set(wordlist)

/** Returns 24 new words. Uses only the system's randomness: a seed must never be reproducible. */
export const newMnemonic = (): string => generateMnemonic(wordlist, 256)

/**
 * Returns the 64-byte seed of a mnemonic. Throws an Error of one line that describes the mistake and never repeats a
 * word of the mnemonic; a wrong word is named by its position.
 */
export function loadMasterSeed(mnemonic: string): Uint8Array {
  const words = mnemonic.normalize('NFKD').trim().toLowerCase().split(/\s+/)
  if (!WORD_COUNTS.includes(words.length) || mnemonic.trim() === '')
    throw new Error(
      `the master seed must be a BIP-39 mnemonic of 12 to 24 words, and this one has ${countOf(mnemonic)}`,
    )
  const unknown = words.findIndex((word) => !WORDS.has(word))
  if (unknown !== -1) throw new Error(`word ${unknown + 1} of the master seed is not in the English BIP-39 word list`)
  const sentence = words.join(' ')
  if (!validateMnemonic(sentence, wordlist))
    throw new Error('the checksum of the master seed is wrong: a word is mistaken or two are in the wrong order')
  return mnemonicToSeedSync(sentence)
}

const countOf = (mnemonic: string): number => mnemonic.split(/\s+/).filter((word) => word !== '').length

/** Returns 64 hex characters that distinguish seeds and reveal nothing else: they may be stored and logged. */
export const seedFingerprint = (seed: Uint8Array): string =>
  Buffer.from(separated(createSecretKey(seed), 'fingerprint', ''), 'binary').toString('hex')

/** Returns 32 bytes for one purpose, e.g. `cursor`. A secret reveals nothing about another or about the seed. */
export type DeriveServiceSecret = (label: string) => Uint8Array

/** The key is prepared once: that takes five times as long as a derivation. */
export function serviceSecretsOf(seed: Uint8Array): DeriveServiceSecret {
  const key = createSecretKey(seed)
  return (label) => Buffer.from(separated(key, 'service-secret', label), 'binary')
}

/** Returns one byte in each character. */
const separated = (key: KeyObject, domain: string, label: string): string =>
  createHmac('sha256', key).update(`solana-payments/${domain}/v1\0${label}`).digest('binary')
