// Tells addresses that can have a private key, the points of the curve ed25519, from addresses of programs, which are not.
import { bytesOfAddress, isPublicKey } from '#core/chain/public-key.ts'
import type { Address } from '#core/chain/types.ts'

const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
const Y_BITS = 2n ** 255n - 1n

/** Returns whether a text is an address that a private key can sign for: a wallet that is not a program's. */
export const isWallet = (value: unknown): value is Address => isPublicKey(value) && isOnCurve(bytesOfAddress(value))

/**
 * Returns whether 32 bytes are a point of edwards25519: x² = (y² − 1) / (d·y² + 1) must have a root. A quotient is a square
 * exactly when the product is, so no inversion is needed, only the Jacobi symbol. False for an address that only a
 * program can sign for, such as a vault's.
 */
export function isOnCurve(bytes: Uint8Array): boolean {
  // A point is written as y, lowest byte first; the highest bit is the sign of x.
  const point = littleEndian(bytes)
  const y = point & Y_BITS
  const y2 = (y * y) % P
  const u = (y2 + P - 1n) % P
  // x is 0, and zero has no negative.
  if (u === 0n) return point === y
  return jacobi((u * (D * y2 + 1n)) % P) === 1
}

function littleEndian(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return [24, 16, 8, 0].reduce((number, at) => (number << 64n) | view.getBigUint64(at, true), 0n)
}

/** Returns the Jacobi symbol (a / P): 1 for a square, −1 for none, 0 for zero. */
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
