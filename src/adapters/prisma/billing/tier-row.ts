// A tier as its row.
import { decoderOf } from '#adapters/prisma/billing/decode.ts'
import { TIER_FIELDS, type Tier } from '#core/billing/tier.ts'

export const tierFromRow: (row: object) => Tier = decoderOf('subscription_tiers', TIER_FIELDS)

/** The columns of a tier. */
export const tierColumns = ({ unitBaseUnits, ...tier }: Tier) => ({
  ...tier,
  unitBaseUnits: unitBaseUnits.toString(),
})
