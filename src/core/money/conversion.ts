// From US cents to an asset's base units, and from base units to the figures that people read.

import { SOL_DECIMALS } from '#core/chain/types.ts'
import { type BaseUnits, divCeil, isBaseUnits, MAX_U64, MAX_USD_CENTS, type UsdCents } from '#core/money/amounts.ts'
import type { Decimal } from '#core/money/price.ts'

/** The asset cannot express the price: it would take more than 2^64 − 1 base units. */
export type ConversionRefusal = { readonly refused: 'amount_out_of_range' }

const MAX_DECIMALS = 255

/**
 * Returns the least number of base units worth at least `cents` at `price` (dollars per whole unit), rounded up to the next
 * base unit so that the business is never underpaid. Exact at every step. `decimals` is the mint's, 0 to 255.
 */
export function usdCentsToBaseUnits(cents: UsdCents, price: Decimal, decimals: number): BaseUnits | ConversionRefusal {
  const { numerator, denominator } = baseUnitsPerCent(price, decimals)
  const amount = divCeil(cents * numerator, denominator)
  return isBaseUnits(amount) ? amount : { refused: 'amount_out_of_range' }
}

/**
 * Returns what an amount of a token is worth in lamports, rounded down, at prices in dollars per whole unit. Exact at every
 * step. `decimals` is the mint's.
 */
export function worthInLamports(amount: BaseUnits, decimals: number, price: Decimal, solPrice: Decimal): bigint {
  const { numerator, denominator } = lamportsPerBaseUnit(decimals, price, solPrice)
  return (amount * numerator) / denominator
}

/** Returns the largest amount of a token for which `worthInLamports` returns at most `worth`. */
export function largestWorthAtMost(worth: bigint, decimals: number, price: Decimal, solPrice: Decimal): bigint {
  const { numerator, denominator } = lamportsPerBaseUnit(decimals, price, solPrice)
  return ((worth + 1n) * denominator - 1n) / numerator
}

/** Returns the lamports for one base unit as an exact fraction, both parts above 0. */
function lamportsPerBaseUnit(decimals: number, price: Decimal, solPrice: Decimal) {
  assertDecimals(decimals)
  const exponent = price.exponent - solPrice.exponent + SOL_DECIMALS - decimals
  return {
    numerator: price.mantissa * 10n ** BigInt(Math.max(0, exponent)),
    denominator: solPrice.mantissa * 10n ** BigInt(Math.max(0, -exponent)),
  }
}

/** The prices from `smallest` to `largest`, in US cents and both included; none when `smallest` is above `largest`. */
export type CentsRange = { readonly smallest: bigint; readonly largest: bigint }

/** Returns the prices for which `usdCentsToBaseUnits` gives at least `least` base units, which is above 0, and refuses none. */
export function expressibleCents(price: Decimal, decimals: number, least: BaseUnits): CentsRange {
  const { numerator, denominator } = baseUnitsPerCent(price, decimals)
  const largest = (MAX_U64 * denominator) / numerator
  return {
    smallest: ((least - 1n) * denominator) / numerator + 1n,
    largest: largest < MAX_USD_CENTS ? largest : MAX_USD_CENTS,
  }
}

export const isWithin = (cents: UsdCents, { smallest, largest }: CentsRange): boolean =>
  smallest <= cents && cents <= largest

/** Returns the base units for one cent as an exact fraction, both parts above 0. */
function baseUnitsPerCent({ mantissa, exponent }: Decimal, decimals: number) {
  assertDecimals(decimals)
  return {
    numerator: 10n ** BigInt(decimals + Math.max(0, -exponent)),
    denominator: mantissa * 100n * 10n ** BigInt(Math.max(0, exponent)),
  }
}

/** Returns the amount in whole units as an exact plain decimal: a leading zero, no exponent, no trailing zeros. */
export function formatUnits(amount: BaseUnits, decimals: number): string {
  assertDecimals(decimals)
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** Returns the amount in whole units as the nearest double. For display only: a ledger keeps base units. */
export const toUiNumber = (amount: BaseUnits, decimals: number): number => Number(formatUnits(amount, decimals))

function assertDecimals(decimals: number): void {
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > MAX_DECIMALS) {
    throw new RangeError(`${decimals} is not a mint's number of decimals`)
  }
}
