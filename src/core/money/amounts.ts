// Money is a branded bigint made by a checked constructor. Each type has the same three functions:
// `isX` asks, `assertX` insists, `makeX` converts; nothing else may produce the brand.

declare const brand: unique symbol
type Branded<T, Name extends string> = T & { readonly [brand]: { readonly [name in Name]: true } }

/** An amount in an asset's smallest unit, 0 to 2^64 − 1: lamports for SOL, token base units for a mint. */
export type BaseUnits = Branded<bigint, 'BaseUnits'>
/** An amount of SOL in lamports, 0 to 2^64 − 1. Every `Lamports` is a `BaseUnits` of SOL. */
export type Lamports = BaseUnits & Branded<bigint, 'Lamports'>
/** A price in integer US cents, 1 to 2^53 − 1 (it is a JSON integer on the wire). */
export type UsdCents = Branded<bigint, 'UsdCents'>
/** A rate in hundredths of a percent, 0 to 10,000. */
export type BasisPoints = Branded<number, 'BasisPoints'>

export const MAX_U64 = 2n ** 64n - 1n
export const MAX_USD_CENTS = BigInt(Number.MAX_SAFE_INTEGER)

const isU64 = (value: unknown): value is bigint => typeof value === 'bigint' && value >= 0n && value <= MAX_U64

function refuse(name: string, value: unknown): never {
  throw new RangeError(`${String(value)} is not a valid ${name}`)
}

export const isBaseUnits = (value: unknown): value is BaseUnits => isU64(value)
export function assertBaseUnits(value: unknown): asserts value is BaseUnits {
  if (!isBaseUnits(value)) refuse('BaseUnits', value)
}
/** Throws RangeError outside 0 … 2^64 − 1, and on a number that is not a safe integer. */
export function makeBaseUnits(value: bigint | number | string): BaseUnits {
  const amount = toBigint(value, 'BaseUnits')
  assertBaseUnits(amount)
  return amount
}

export const isLamports = (value: unknown): value is Lamports => isU64(value)
export function assertLamports(value: unknown): asserts value is Lamports {
  if (!isLamports(value)) refuse('Lamports', value)
}
export function makeLamports(value: bigint | number | string): Lamports {
  const amount = toBigint(value, 'Lamports')
  assertLamports(amount)
  return amount
}

export const isUsdCents = (value: unknown): value is UsdCents =>
  typeof value === 'bigint' && value > 0n && value <= MAX_USD_CENTS
export function assertUsdCents(value: unknown): asserts value is UsdCents {
  if (!isUsdCents(value)) refuse('UsdCents', value)
}
export function makeUsdCents(value: bigint | number | string): UsdCents {
  const amount = toBigint(value, 'UsdCents')
  assertUsdCents(amount)
  return amount
}

export const isBasisPoints = (value: unknown): value is BasisPoints =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 10_000
export function assertBasisPoints(value: unknown): asserts value is BasisPoints {
  if (!isBasisPoints(value)) refuse('BasisPoints', value)
}
export function makeBasisPoints(value: number): BasisPoints {
  assertBasisPoints(value)
  return value
}

export const ZERO = makeBaseUnits(0n)

/** Adds; throws RangeError when the sum leaves the unsigned 64-bit range. */
export const add = (...amounts: readonly BaseUnits[]): BaseUnits =>
  makeBaseUnits(amounts.reduce<bigint>((sum, amount) => sum + amount, 0n))

/** Adds without a bound: over time, more can pass through an account than it can contain at one moment. */
export const sumOf = (amounts: readonly bigint[]): bigint => amounts.reduce((sum, amount) => sum + amount, 0n)

/** Returns the amount, or 2^64 − 1 where it is larger: no account holds more. Throws RangeError below zero. */
export const capAtU64 = (amount: bigint): BaseUnits => makeBaseUnits(amount > MAX_U64 ? MAX_U64 : amount)

/** Returns a − b. Throws RangeError when b is larger, because an amount is never negative. */
export const subtract = (a: BaseUnits, b: BaseUnits): BaseUnits => makeBaseUnits(a - b)

/** Returns a − b, or zero when b is larger. */
export const subtractToZero = (a: BaseUnits, b: BaseUnits): BaseUnits => (a > b ? makeBaseUnits(a - b) : ZERO)

export const smaller = <T extends BaseUnits>(a: T, b: T): T => (a < b ? a : b)

/** Returns amount × bps / 10,000, rounded down: fees never take more than their rate. */
export const mulBpsFloor = (amount: BaseUnits, bps: BasisPoints): BaseUnits =>
  makeBaseUnits((amount * BigInt(bps)) / 10_000n)

/** Returns numerator / denominator, rounded up. Both are non-negative, the denominator is above zero. */
export function divCeil(numerator: bigint, denominator: bigint): bigint {
  if (numerator < 0n || denominator <= 0n) throw new RangeError('divCeil takes a non-negative over a positive')
  return (numerator + denominator - 1n) / denominator
}

function toBigint(value: bigint | number | string, name: string): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : refuse(name, value)
  return /^\d{1,20}$/.test(value) ? BigInt(value) : refuse(name, value)
}
