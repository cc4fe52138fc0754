// The master seed: one BIP-39 mnemonic from which every key and every service secret follows.
import { createHmac } from 'node:crypto'
import { generateMnemonic, mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'

const WORD_COUNTS: readonly number[] = [12, 15, 18, 21, 24]
const WORDS: ReadonlySet<string> = new Set(wordlist)

/** 24 fresh words. Draws from the system's randomness and nothing else: a seed must never be reproducible. */
export const newMnemonic = (): string => generateMnemonic(wordlist, 256)

/**
 * The 64-byte seed of a mnemonic. Throws an Error with one line that says what is wrong with it and never repeats a
 * word of it; a wrong word is named by its position.
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

/** Tells one seed from another and nothing else: 64 hex characters that may stand in a database or a log. */
export const seedFingerprint = (seed: Uint8Array): string => separated(seed, 'fingerprint', '').toString('hex')

/** 32 bytes for one purpose, e.g. `cursor-signing`: knowing one secret tells nothing of another or of the seed. */
export const deriveServiceSecret = (seed: Uint8Array, label: string): Uint8Array =>
  Uint8Array.from(separated(seed, 'service-secret', label))

const separated = (seed: Uint8Array, domain: string, label: string): Buffer =>
  createHmac('sha256', seed).update(`solana-payments/${domain}/v1\0${label}`).digest()
