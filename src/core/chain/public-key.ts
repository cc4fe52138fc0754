// Reads addresses from outside. An address must decode to exactly 32 bytes; its shape proves nothing.
import { isAddress, makeAddress } from '#core/chain/base58.ts'
import { type Address, type Asset, SOL } from '#core/chain/types.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BYTES = 32
/** As many base58 digits as a double stores exactly. A bigint for each digit would cost eight times as much. */
const DIGITS_PER_STEP = 9
const VALUES = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, ALPHABET.indexOf(String.fromCharCode(code))))
const POWERS = Array.from({ length: DIGITS_PER_STEP + 1 }, (_, digits) => 58n ** BigInt(digits))
const STEP = 58n ** BigInt(DIGITS_PER_STEP)

/** Returns true when base58 decodes it to 32 bytes: a wallet, a mint, a program. Whether anything lives there is not asked. */
export function isPublicKey(value: unknown): value is Address {
  if (!isAddress(value)) return false
  const zeros = leadingOnes(value)
  return zeros <= BYTES && hasByteLength(value.slice(zeros), BYTES - zeros)
}

/** Returns the 32 bytes as one number, the first byte the most significant. */
function publicKeyNumber(address: Address): bigint {
  let number = 0n
  for (let at = 0; at < address.length; at += DIGITS_PER_STEP) {
    const end = Math.min(at + DIGITS_PER_STEP, address.length)
    let step = 0
    for (let digit = at; digit < end; digit += 1) step = step * 58 + (VALUES[address.charCodeAt(digit)] ?? 0)
    number = number * (POWERS[end - at] ?? STEP) + BigInt(step)
  }
  return number
}

/** Returns the 32 bytes that an address is. */
export function bytesOfAddress(address: Address): Uint8Array {
  const bytes = new Uint8Array(BYTES)
  const view = new DataView(bytes.buffer)
  const number = publicKeyNumber(address)
  for (const at of [0, 8, 16, 24]) view.setBigUint64(at, number >> BigInt(8 * (BYTES - 8 - at)))
  return bytes
}

/** Returns the address that 32 bytes are. Throws RangeError on any other number of bytes. */
export function addressOfBytes(bytes: Uint8Array): Address {
  if (bytes.length !== BYTES) throw new RangeError(`an address has ${BYTES} bytes, not ${bytes.length}`)
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return makeAddress('1'.repeat(zeros < 0 ? BYTES : zeros) + base58Of(bigEndian(bytes)))
}

/** Returns the base58 digits of a number, without a leading `1`: none for zero. */
function base58Of(number: bigint): string {
  let digits = ''
  for (let rest = number; rest > 0n; rest /= STEP) digits = digitsOf(Number(rest % STEP)) + digits
  return digits.replace(/^1+/, '')
}

function bigEndian(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return [0, 8, 16, 24].reduce((number, at) => (number << 64n) | view.getBigUint64(at), 0n)
}

function digitsOf(step: number): string {
  let digits = ''
  for (let rest = step; digits.length < DIGITS_PER_STEP; rest = Math.floor(rest / 58))
    digits = ALPHABET.charAt(rest % 58) + digits
  return digits
}

/** Returns whether a text from outside is `SOL` or an address, as of a mint. */
export const isGivenAsset = (value: unknown): value is Asset => value === SOL || isPublicKey(value)

/** In base58 each leading `1` stands for one zero byte. */
function leadingOnes(value: string): number {
  let count = 0
  while (value.charAt(count) === '1') count++
  return count
}

/**
 * Returns whether base58 digits, without a leading `1`, are a number of so many bytes. They are compared as text: the alphabet is
 * in the order of its values, and of two numbers the one with more digits is larger.
 */
const hasByteLength = (digits: string, bytes: number): boolean =>
  !isLess(digits, SMALLEST[bytes] ?? '') && isLess(digits, SMALLEST[bytes + 1] ?? '')

const isLess = (digits: string, than: string): boolean =>
  digits.length === than.length ? digits < than : digits.length < than.length

/** The base58 digits of the smallest number of 0 to 33 bytes. */
const SMALLEST = Array.from({ length: BYTES + 2 }, (_, bytes) =>
  bytes === 0 ? '' : base58Of(256n ** BigInt(bytes - 1)),
)
