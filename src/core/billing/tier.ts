// A tier: the price of a product for each period. Its terms are frozen when it is created. Spec: "Subscription resources".
import { addressCodec, basisPointsCodec, unitsCodec, usdCentsCodec } from '#core/chain/codecs.ts'
import type { Address } from '#core/chain/types.ts'
import { type Decoded, integer, nullable, plain, text, time, uuid } from '#core/codec.ts'
import type { ErrorCode, ErrorContext } from '#core/errors.ts'
import { oneOf } from '#core/json.ts'
import { type Metadata, metadataCodec } from '#core/metadata.ts'
import {
  type BaseUnits,
  type BasisPoints,
  isBaseUnits,
  isUsdCents,
  makeBaseUnits,
  makeUsdCents,
  type UsdCents,
} from '#core/money/amounts.ts'
import type { Token } from '#core/tokens/token.ts'
import { judgeTexts, orNull } from './catalogue.ts'

export const INTERVALS = ['day', 'week', 'month', 'year'] as const
export type Interval = (typeof INTERVALS)[number]

/** The largest `interval_count` of each interval. Spec: "Limits". */
export const INTERVAL_LIMITS: Readonly<Record<Interval, number>> = { day: 365, week: 52, month: 12, year: 1 }

export const DEFAULT_AUTHORIZATION_PERIODS = 12
export const MAX_TRIAL_DAYS = 365

export const intervalCodec = plain('text', oneOf(INTERVALS))

export const TIER_FIELDS = {
  id: uuid,
  accountId: uuid,
  productId: uuid,
  name: text,
  description: nullable(text),
  priceUsdCents: usdCentsCodec,
  interval: intervalCodec,
  intervalCount: integer,
  authorizationPeriods: integer,
  /** The days before the first charge, for a wallet that has had no trial of the product; 0 without a trial. */
  trialDays: integer,
  mint: addressCodec,
  tokenProgram: addressCodec,
  decimals: integer,
  /** The charge of one period, in base units of the mint. */
  unitBaseUnits: unitsCodec,
  payoutOwner: addressCodec,
  payoutAta: addressCodec,
  platformFeeBps: basisPointsCodec,
  /** null while the fee is zero and the platform has no wallet. */
  platformWallet: nullable(addressCodec),
  metadata: metadataCodec,
  archivedAt: nullable(time),
  createdAt: time,
  updatedAt: time,
} as const

export type Tier = Decoded<typeof TIER_FIELDS>

// A new tier: its rules, and what is computed and frozen when it is created. Spec: "Subscription resources", "Limits".

// The stablecoin in which subscriptions are charged: one token is one US dollar. It is judged when it is used, because the
// allowlist can change while the service runs.

export type SettlementMint = {
  readonly mint: Address
  readonly tokenProgram: Address
  readonly decimals: number
}

/** A cent must be a whole number of base units. */
const MIN_DECIMALS = 2

/** Returns the mint as the allowlist has it, or why it cannot be used: the end of a sentence about the mint. */
export function judgeSettlementMint(token: Token | undefined): SettlementMint | { readonly problem: string } {
  if (token?.enabled !== true || token.tokenProgram === null)
    return { problem: 'is not on the allowlist of the live network' }
  const { mint, tokenProgram, decimals } = token
  if (decimals < MIN_DECIMALS) return { problem: `has fewer than ${MIN_DECIMALS} decimals` }
  return { mint, tokenProgram, decimals }
}

/** What a business gives for a new tier. The numbers are any integers until they are judged. */
export type TierInput = {
  readonly name: string
  readonly description: string | null
  readonly priceUsdCents: UsdCents
  readonly interval: Interval
  readonly intervalCount: number
  readonly authorizationPeriods: number
  readonly trialDays: number
  readonly metadata: Metadata
}

/** What is frozen into a tier: the mint, the payout and the platform's fee at the time of its creation. */
export type TierTerms = SettlementMint & {
  readonly payoutOwner: Address
  readonly payoutAta: Address
  readonly platformFeeBps: BasisPoints
  readonly platformWallet: Address | null
}

type TierRefusal = { readonly code: ErrorCode; readonly context: ErrorContext }

const MAX_NAME = 120

/** Returns the first rule that a patch or an input breaks; null when there is none. */
export const judgeTierTexts = (texts: Parameters<typeof judgeTexts>[0]): ErrorCode | null => judgeTexts(texts, MAX_NAME)

/** The lowest and the highest price that the platform allows. */
type PriceRange = { readonly minPriceUsdCents: UsdCents; readonly maxPriceUsdCents: UsdCents }

/** Returns why an input is refused; null when its fields keep the rules. */
export function judgeTier(
  input: TierInput,
  { minPriceUsdCents: min, maxPriceUsdCents: max }: PriceRange,
): TierRefusal | null {
  const texts = judgeTierTexts(input)
  if (texts !== null) return { code: texts, context: {} }
  const { priceUsdCents, interval, intervalCount, authorizationPeriods, trialDays } = input
  if (priceUsdCents < min) return { code: 'invalid_price', context: {} }
  if (priceUsdCents > max) return { code: 'tier_price_above_ceiling', context: { max_price_usd_cents: Number(max) } }
  if (!isCount(intervalCount) || intervalCount > INTERVAL_LIMITS[interval])
    return { code: 'invalid_interval_count', context: {} }
  if (!isCount(authorizationPeriods)) return { code: 'invalid_authorization_periods', context: {} }
  if (trialDays !== 0 && (!isCount(trialDays) || trialDays > MAX_TRIAL_DAYS))
    return { code: 'invalid_trial_days', context: { max_trial_days: MAX_TRIAL_DAYS } }
  return null
}

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1

/**
 * Returns the tier of an input that keeps the rules. Null when the total of an authorization is above what a token account or
 * a JSON integer can hold.
 */
export function newTier(
  input: TierInput,
  terms: TierTerms,
  of: { readonly id: string; readonly accountId: string; readonly productId: string; readonly at: Date },
): Tier | null {
  const unit = input.priceUsdCents * 10n ** BigInt(terms.decimals - 2)
  const periods = BigInt(input.authorizationPeriods)
  if (!isBaseUnits(unit * periods) || !isUsdCents(input.priceUsdCents * periods)) return null
  const { id, accountId, productId, at } = of
  return {
    ...input,
    ...terms,
    id,
    accountId,
    productId,
    description: orNull(input.description),
    unitBaseUnits: makeBaseUnits(unit),
    archivedAt: null,
    createdAt: at,
    updatedAt: at,
  }
}

type Authorization = Pick<Tier, 'priceUsdCents' | 'unitBaseUnits' | 'authorizationPeriods'>

/** Returns what a subscriber authorizes at the beginning, in US cents. */
export const totalUsdCents = ({ priceUsdCents, authorizationPeriods }: Authorization): UsdCents =>
  makeUsdCents(priceUsdCents * BigInt(authorizationPeriods))

/** Returns what a subscriber authorizes at the beginning, in base units of the mint. */
export const totalBaseUnits = ({ unitBaseUnits, authorizationPeriods }: Authorization): BaseUnits =>
  makeBaseUnits(unitBaseUnits * BigInt(authorizationPeriods))
