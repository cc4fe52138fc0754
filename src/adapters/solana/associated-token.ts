// The associated token account of a wallet, found synchronously: a payment watches several for each deposit address,
// and kit's asynchronous search spends most of its time on the curve check that is done here by a Jacobi symbol.
import { hash } from 'node:crypto'
import { type Address, getAddressDecoder, getAddressEncoder } from '@solana/kit'
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { createLru } from './lru.ts'

const encoder = getAddressEncoder()
const decoder = getAddressDecoder()
const MARKER = new TextEncoder().encode('ProgramDerivedAddress')
const addressBytes = (address: Address): Uint8Array => Uint8Array.from(encoder.encode(address))
const SUFFIX = Buffer.concat([addressBytes(ASSOCIATED_TOKEN_PROGRAM_ADDRESS), MARKER])

/** Wallets come and go; mints and programs are few and asked for every time. */
const knownBytes = createLru<Address, Uint8Array>(256)

/** The address that the associated token program gives to (owner, token program, mint). */
export function associatedTokenAddress(owner: Address, mint: Address, tokenProgram: Address): Address {
  const seeds = Buffer.concat([addressBytes(owner), bytesOf(tokenProgram), bytesOf(mint), new Uint8Array(1), SUFFIX])
  for (let bump = 255; bump >= 0; bump -= 1) {
    seeds[96] = bump
    const candidate = hash('sha256', seeds, 'buffer')
    if (!isOnCurve(candidate)) return decoder.decode(candidate)
  }
  throw new RangeError('no bump leaves the curve')
}

function bytesOf(address: Address): Uint8Array {
  const known = knownBytes.get(address)
  if (known !== undefined) return known
  const bytes = addressBytes(address)
  knownBytes.set(address, bytes)
  return bytes
}

const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n

/**
 * Whether 32 bytes are a point of edwards25519: x² = (y² − 1) / (d·y² + 1) must have a root. A quotient is a square
 * exactly when the product is, so no inversion is needed, only the Jacobi symbol.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  const reversed = Buffer.from(bytes).reverse()
  const signBit = (reversed[0] ?? 0) & 0x80
  reversed[0] = (reversed[0] ?? 0) & 0x7f
  const y = BigInt(`0x${reversed.toString('hex')}`)
  const y2 = (y * y) % P
  const u = (y2 + P - 1n) % P
  // x is 0, and zero has no negative.
  if (u === 0n) return signBit === 0
  return jacobi((u * (D * y2 + 1n)) % P) === 1
}

/** The Jacobi symbol (a / P): 1 for a square, −1 for none, 0 for zero. */
function jacobi(a: bigint): -1 | 0 | 1 {
  let top = a
  let bottom = P
  let positive = true
  while (top !== 0n) {
    let twos = 0
    while ((top & 1n) === 0n) {
      top >>= 1n
      twos += 1
    }
    const bottomMod8 = Number(bottom & 7n)
    if (twos % 2 === 1 && (bottomMod8 === 3 || bottomMod8 === 5)) positive = !positive
    if (bottomMod8 % 4 === 3 && Number(top & 3n) === 3) positive = !positive
    const rest = bottom % top
    bottom = top
    top = rest
  }
  if (bottom !== 1n) return 0
  return positive ? 1 : -1
}
