// An address that comes from outside is an address only if it decodes to exactly 32 bytes; its shape alone is no proof.
import { isAddress } from '#core/chain/base58.ts'
import { type Address, type Asset, SOL } from '#core/chain/types.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const BYTES = 32

/** True when base58 decodes it to 32 bytes: a wallet, a mint, a program. Whether anything lives there is not asked. */
export function isPublicKey(value: unknown): value is Address {
  if (!isAddress(value)) return false
  return leadingOnes(value) + byteLength(publicKeyNumber(value)) === BYTES
}

/** The 32 bytes as one number, the first byte the most significant. */
export function publicKeyNumber(address: Address): bigint {
  let number = 0n
  for (const digit of address) number = number * 58n + BigInt(ALPHABET.indexOf(digit))
  return number
}

/** `SOL`, or the mint of a token as it came from outside. */
export const isGivenAsset = (value: unknown): value is Asset => value === SOL || isPublicKey(value)

/** In base58 each leading `1` stands for one zero byte. */
function leadingOnes(value: string): number {
  let count = 0
  while (value.charAt(count) === '1') count++
  return count
}

const byteLength = (number: bigint): number => (number === 0n ? 0 : Math.ceil(number.toString(16).length / 2))
