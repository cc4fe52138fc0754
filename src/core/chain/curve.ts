// Which addresses can have a private key: the points of the curve ed25519. A program's own addresses are chosen off it.
import { publicKeyNumber } from '#core/chain/public-key.ts'
import type { Address } from '#core/chain/types.ts'

const P = 2n ** 255n - 19n
const D = modP(-121665n * power(121666n, P - 2n))

/** False for an address that only a program can sign for, such as a vault's. */
export function isOnCurve(address: Address): boolean {
  // The point is written as y, lowest byte first; the highest bit is the sign of x and says nothing here.
  const y = littleEndian(publicKeyNumber(address)) & (2n ** 255n - 1n)
  const ySquared = modP(y * y)
  const xSquared = modP((ySquared - 1n) * power(modP(D * ySquared + 1n), P - 2n))
  return xSquared === 0n || power(xSquared, (P - 1n) / 2n) === 1n
}

const littleEndian = (bigEndian: bigint): bigint =>
  BigInt(`0x${bigEndian.toString(16).padStart(64, '0').match(/../g)?.reverse().join('') ?? '0'}`)

function modP(value: bigint): bigint {
  const rest = value % P
  return rest < 0n ? rest + P : rest
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = modP(base)
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = modP(result * square)
    square = modP(square * square)
  }
  return result
}
