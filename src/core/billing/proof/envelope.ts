// The bytes that a wallet signs for a text: the text itself, or the text in the envelope of Solana's off-chain messages,
// which hardware wallets add.
import { bytesOfAddress } from '#core/chain/public-key.ts'
import type { Address } from '#core/chain/types.ts'

const MARK = [0xff, ...new TextEncoder().encode('solana offchain'), 0]
const APPLICATION_BYTES = 32
const KEY_BYTES = 32
/** Restricted ASCII, or UTF-8. */
const FORMATS: readonly (number | undefined)[] = [0, 1]

/** Returns the text in the bytes. Returns null for bytes that are not UTF-8, or an envelope of another wallet. */
export function textOfSigned(bytes: Uint8Array, wallet: Address): string | null {
  const isEnveloped = MARK.every((byte, at) => bytes[at] === byte)
  const text = isEnveloped ? unwrapped(bytes.subarray(MARK.length), wallet) : bytes
  if (text === null) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text)
  } catch {
    return null
  }
}

/** The older header has a format and a length. The newer one names the application and the signers before the length. */
const unwrapped = (rest: Uint8Array, wallet: Address): Uint8Array | null =>
  FORMATS.includes(rest[0]) && isLength(rest, 1)
    ? rest.subarray(3)
    : unwrappedNew(rest.subarray(APPLICATION_BYTES), wallet)

function unwrappedNew(rest: Uint8Array, wallet: Address): Uint8Array | null {
  const key = bytesOfAddress(wallet)
  const isOwn = FORMATS.includes(rest[0]) && rest[1] === 1 && key.every((byte, at) => rest[2 + at] === byte)
  return isOwn && isLength(rest, 2 + KEY_BYTES) ? rest.subarray(2 + KEY_BYTES + 2) : null
}

/** Returns whether the two bytes at a place are the number of bytes that follow them, the lower byte first. */
const isLength = (bytes: Uint8Array, at: number): boolean =>
  bytes.length >= at + 2 && (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0) === bytes.length - at - 2
