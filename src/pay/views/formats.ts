// Figures and times as people of a language read them. Amounts stay exact: Intl takes decimal digits as they are.
import { directionOf, type Language } from '#pay/texts/texts.ts'

export type Formats = {
  /** Formats US cents, such as `$19.99`. */
  dollars(cents: number | string): string
  /** Formats base units of an asset, such as `0.13 SOL`. A fraction has at least two digits, as one of money. */
  amount(units: string, token: { readonly ticker: string; readonly decimals: number }): string
  /** Formats what one whole of an asset was worth, such as `1 SOL = $150.00`, from a price in US cents and its base units. */
  rate(cents: number, units: string, token: { readonly ticker: string; readonly decimals: number }): string
  number(count: number | bigint): string
  /** Formats a part of a whole, such as `97.5%`. */
  percent(ofHundred: number): string
  /** Formats a date in UTC. */
  date(iso: string): string
  /** Formats a time such as `3 months`. */
  duration(count: number, unit: 'day' | 'week' | 'month' | 'year'): string
  /** Minutes and seconds, such as `9:05`. */
  countdown(seconds: number): string
}

/** A token may be worth much less than a cent. */
const RATE_DECIMALS = 12

/** A longer figure may stand on another line than its ticker. */
const LONG_FIGURE = 14

/** Makes a format when it is first used: each costs a slow phone some milliseconds. */
export function lazily<Format>(make: () => Format): () => Format {
  let made: Format | null = null
  return () => {
    made ??= make()
    return made
  }
}

export function createFormats(language: Language): Formats {
  // Wallets show Latin digits. A figure and its unit are read from left to right, also inside of Arabic text.
  const locale = `${language}-u-nu-latn`
  const usd = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const
  const dollars = lazily(() => new Intl.NumberFormat(locale, usd))
  const smallDollars = lazily(() => new Intl.NumberFormat(locale, { ...usd, maximumSignificantDigits: 5 }))
  const percent = lazily(() => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 4 }))
  const date = lazily(() => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }))
  const isolated = (text: string): string => (directionOf(language) === 'rtl' ? `\u2066${text}\u2069` : text)
  return {
    dollars: (cents) => isolated(dollars().format(decimal(String(cents), 2))),
    amount: (units, { ticker, decimals }) => {
      const figure = new Intl.NumberFormat(locale, {
        minimumFractionDigits: Math.min(decimals, 2),
        maximumFractionDigits: Math.min(decimals, 100),
        trailingZeroDisplay: 'stripIfInteger',
      }).format(decimal(units, decimals))
      return isolated(`${figure}${figure.length > LONG_FIGURE ? ' ' : '\u00a0'}${ticker}`)
    },
    rate: (cents, units, { ticker, decimals }) => {
      const worth = (BigInt(cents) * 10n ** BigInt(decimals + RATE_DECIMALS - 2)) / BigInt(units)
      const whole = 10n ** BigInt(RATE_DECIMALS)
      const figure = (worth < whole ? smallDollars : dollars)().format(decimal(String(worth), RATE_DECIMALS))
      return isolated(`1\u00a0${ticker} = ${figure}`)
    },
    percent: (ofHundred) => isolated(percent().format(ofHundred / 100)),
    number: (count) => new Intl.NumberFormat(locale).format(count),
    date: (iso) => date().format(new Date(iso)),
    duration: (count, unit) =>
      new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count),
    countdown: (seconds) => isolated(`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`),
  }
}

type Decimal = `${number}`

/** Returns base units as a plain decimal, exactly. */
export function decimal(units: string, decimals: number): Decimal {
  const digits = units.padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const text = decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`
  if (!isDecimal(text)) throw new RangeError(`${units} is no amount`)
  return text
}

const isDecimal = (text: string): text is Decimal => /^\d+(?:\.\d+)?$/.test(text)

/** Returns both ends of an address or a signature. */
export const shortened = (text: string): string => `${text.slice(0, 6)}…${text.slice(-6)}`
