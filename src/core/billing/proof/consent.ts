// What a wallet consents to: the terms, and the sentence that states them for people.
import { discountedOf, discountedPriceOf, type Prices } from '#core/billing/discount.ts'
import type { Interval, Tier } from '#core/billing/tier.ts'
import type { Address, Network } from '#core/chain/types.ts'
import { oneOf } from '#core/json.ts'
import type { BaseUnits, UsdCents } from '#core/money/amounts.ts'

// Names in the sentence that a wallet shows. The sentence is ASCII, and a name must not look like a part of it.

/** Letters that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ł: 'l',
  Ł: 'L',
  ı: 'i',
  '‘': "'",
  '’': "'",
  '“': "'",
  '”': "'",
  '–': '-',
  '—': '-',
  '"': "'",
  '%': ' percent',
  '[': '(',
  ']': ')',
}
const MAX_LENGTH = 80

/**
 * Returns a name as at most 80 printable ASCII characters between brackets, without quotation marks and percent signs.
 * Accents are dropped; a character without an ASCII form is written as its number, so that two names stay two.
 */
export function quotedName(name: string): string {
  const ascii = [...name.normalize('NFKD')].map(asciiOf).join('').replace(/ +/g, ' ').trim()
  const short = ascii.length > MAX_LENGTH ? `${ascii.slice(0, MAX_LENGTH - 3).trimEnd()}...` : ascii
  return `[${short}]`
}

function asciiOf(character: string): string {
  const known = LETTERS[character]
  if (known !== undefined) return known
  if (/^[!-~]$/.test(character)) return character
  if (/^[\p{White_Space}\p{Cc}]$/u.test(character)) return ' '
  if (/^\p{M}$/u.test(character)) return ''
  return ` U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')} `
}

/** `recover` shows the subscriptions of a wallet; the others authorize charges. */
export const PROOF_PURPOSES = ['checkout', 'change', 'renew', 'recover'] as const
export type ProofPurpose = (typeof PROOF_PURPOSES)[number]
export const readPurpose = oneOf(PROOF_PURPOSES)

/** The charges that a wallet authorizes. Amounts are in base units of the mint. */
export type ChargeConsent = {
  readonly purpose: Exclude<ProofPurpose, 'recover'>
  readonly network: Network
  readonly wallet: Address
  readonly subscriptionId: string
  readonly accountId: string
  /** The name that the buyer sees. */
  readonly merchant: string
  readonly tierId: string
  readonly mint: Address
  readonly decimals: number
  readonly priceUsdCents: UsdCents
  readonly unitAmount: BaseUnits
  readonly interval: Interval
  readonly intervalCount: number
  /** The number of charges that it authorizes, and their sum. */
  readonly periods: number
  /** How many of these charges have a discount, from the first one, and the price of a period with it. */
  readonly discountedPeriods: number
  readonly discountedPriceUsdCents: UsdCents
  readonly total: BaseUnits
  /** The days before the first charge; 0 without a trial. */
  readonly trialDays: number
}

export type RecoveryConsent = { readonly purpose: 'recover'; readonly network: Network; readonly wallet: Address }

/** `log_in` opens a session of a member, `add_login` lets a wallet do that, and `prove` shows that the member is there. */
export const LOGIN_PURPOSES = ['log_in', 'add_login', 'prove'] as const
export type LoginPurpose = (typeof LOGIN_PURPOSES)[number]

/** A member of a business who logs in. Nothing is charged. */
export type LoginConsent = {
  readonly purpose: LoginPurpose
  readonly network: Network
  readonly wallet: Address
  /** Empty for `log_in`: a wallet can be that of members of several businesses. */
  readonly memberId: string
  /** The name of the business. */
  readonly business: string
}

/** What the page of a hosted token asks for. */
export type PageConsent = ChargeConsent | RecoveryConsent
export type Consent = PageConsent | LoginConsent

/**
 * Returns the consent to `total` base units: the charges of so many periods of a tier at these prices. `merchant`: the name that the
 * buyer sees.
 */
export const consentToCharges = (
  {
    tier,
    prices,
    ...given
  }: Pick<ChargeConsent, 'purpose' | 'network' | 'wallet' | 'subscriptionId' | 'merchant' | 'periods' | 'trialDays'> & {
    readonly tier: Tier
    readonly prices: Prices
  },
  total: BaseUnits,
): ChargeConsent => ({
  ...given,
  accountId: tier.accountId,
  tierId: tier.id,
  mint: tier.mint,
  decimals: tier.decimals,
  priceUsdCents: tier.priceUsdCents,
  unitAmount: tier.unitBaseUnits,
  discountedPeriods: discountedOf(prices, given.periods),
  discountedPriceUsdCents: discountedPriceOf(tier, prices),
  interval: tier.interval,
  intervalCount: tier.intervalCount,
  total,
})

/** The terms as they are stored and hashed: a flat record of texts and whole numbers. */
export type Terms = Readonly<Record<string, string | number>>

export const termsOf = (consent: Consent): Terms =>
  Object.fromEntries(
    Object.entries(consent).map(([name, value]) => [name, typeof value === 'bigint' ? value.toString() : value]),
  )

/** Returns the one text of some terms, of which the hash is taken: the names in order, as JSON. */
export const canonicalTerms = (terms: Terms): string =>
  JSON.stringify(Object.entries(terms).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Returns the sentence for the wallet, in ASCII. */
export function statementOf(consent: Consent): string {
  switch (consent.purpose) {
    case 'recover':
      return 'Show the subscriptions of this wallet.'
    case 'log_in':
      return 'Log in with this wallet.'
    case 'add_login':
      return `Let this wallet log in to ${quotedName(consent.business)}.`
    case 'prove':
      return `Confirm a change in ${quotedName(consent.business)}.`
    default:
      return chargeStatementOf(consent)
  }
}

function chargeStatementOf(consent: ChargeConsent): string {
  const { merchant, interval, intervalCount, periods, total: units, decimals, trialDays } = consent
  const each = intervalCount === 1 ? `every ${interval}` : `every ${intervalCount} ${interval}s`
  const charges = periods === 1 ? '1 charge' : `${periods} charges`
  const total = `${dollars((units * 100n) / 10n ** BigInt(decimals))} in total for ${charges}`
  const trial = trialDays === 0 ? '' : ` after a free trial of ${trialDays === 1 ? '1 day' : `${trialDays} days`}`
  return `${VERB[consent.purpose]} ${quotedName(merchant)} to charge ${pricesIn(consent, `${each}${trial}`)}, ${total}.`
}

/** Says the price of each charge: one, or that with the discount for the first charges and then the other. */
function pricesIn(
  { priceUsdCents, discountedPriceUsdCents, discountedPeriods, periods, trialDays }: ChargeConsent,
  each: string,
): string {
  if (discountedPeriods === 0) return `${dollars(priceUsdCents)} ${each}`
  const discounted = `${dollars(discountedPriceUsdCents)} ${each}`
  if (discountedPeriods === periods) return discounted
  const first = discountedPeriods === 1 ? 'the first charge' : `the first ${discountedPeriods} charges`
  return `${discounted}${trialDays === 0 ? '' : ','} for ${first}, then ${dollars(priceUsdCents)}`
}

const VERB: Readonly<Record<ChargeConsent['purpose'], string>> = {
  checkout: 'Authorize',
  change: 'Change the subscription and authorize',
  renew: 'Renew the subscription and authorize',
}

/** Returns `9.99 USD`. A total is 0 when a change in the last authorized period authorizes no charge before the renewal. */
const dollars = (cents: bigint): string => `${cents / 100n}.${(cents % 100n).toString().padStart(2, '0')} USD`
