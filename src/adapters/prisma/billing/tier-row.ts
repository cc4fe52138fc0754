// A tier as its row.
import type { Tier } from '#core/billing/tier.ts'

/** The columns of a tier. */
export const tierColumns = ({ unitBaseUnits, ...tier }: Tier) => ({
  ...tier,
  unitBaseUnits: unitBaseUnits.toString(),
})
