// Judges options and arguments before a request: the service would name its own fields in a refusal.

import { readFileSync } from 'node:fs'
import { Option } from 'commander'
import { isPublicKey } from '#core/chain/public-key.ts'
import { Failure, MISUSED } from './failure.ts'

export const NETWORKS = ['live', 'test'] as const
export type Network = (typeof NETWORKS)[number]

export const networkOption = (flags: string): Option => new Option(flags).choices(NETWORKS)

export const limitOption = (): Option =>
  new Option('--limit <number>', 'how many, at most 100').default('20').argParser(wholeNumber('--limit', 1n, 100n))

type Judge = (text: string) => string

function judge(name: string, rule: string, is: (text: string) => boolean): Judge {
  return (text) => {
    if (!is(text)) throw new Failure(`${name} must be ${rule}, and "${text}" is not one`, MISUSED)
    return text
  }
}

/** Reads an integer within the range, both ends included. */
export function wholeNumber(name: string, from: bigint, to: bigint): Judge {
  const isWithin = (text: string) => /^\d{1,20}$/.test(text) && BigInt(text) >= from && BigInt(text) <= to
  return judge(name, `a whole number from ${from} to ${to}`, isWithin)
}

export const idOf = (name: string): Judge =>
  judge(name, 'an id such as the lists show', (text) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text))

export const walletAddress = (name: string): Judge =>
  judge(name, 'a Solana address (32 bytes in base58)', (text) => isPublicKey(text))

/** Reads `SOL` in any case, else a mint. Returns it as the service writes it. */
export function assetOf(name: string): Judge {
  const mint = judge(name, 'SOL or the address of a mint', (text) => isPublicKey(text))
  return (text) => (text.toUpperCase() === 'SOL' ? 'SOL' : mint(text))
}

export const fileName = (name: string): Judge => judge(name, 'the path of a file', (text) => text !== '')

export const serviceUrl = (name: string): Judge =>
  judge(name, 'an http or https address such as http://127.0.0.1:4000', (text) =>
    /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
  )

/** Lets an empty text pass, which clears a value; the judge checks every other text. */
export const orEmpty =
  (judged: Judge): Judge =>
  (text) =>
    text === '' ? text : judged(text)

/** Returns the file in base64. Throws Failure where it cannot be read. */
export function readImage(path: string): string {
  try {
    return readFileSync(path, 'base64')
  } catch {
    throw new Failure(`${path} cannot be read`, MISUSED)
  }
}
