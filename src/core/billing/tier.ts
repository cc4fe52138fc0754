// A tier: the price of a product for each period. Its terms are frozen when it is created. Spec: "Subscription resources".

import { addressCodec, basisPointsCodec, unitsCodec, usdCentsCodec } from '#core/chain/codecs.ts'
import { type Decoded, integer, nullable, plain, text, time, uuid } from '#core/codec.ts'
import { oneOf } from '#core/json.ts'
import { metadataCodec } from '#core/metadata.ts'

export const INTERVALS = ['day', 'week', 'month', 'year'] as const
export type Interval = (typeof INTERVALS)[number]

/** The largest `interval_count` of each interval. Spec: "Limits". */
export const INTERVAL_LIMITS: Readonly<Record<Interval, number>> = { day: 365, week: 52, month: 12, year: 1 }

export const DEFAULT_AUTHORIZATION_PERIODS = 12

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
