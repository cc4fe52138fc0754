// What both endpoints of figures take.
import { z } from 'zod'
import { timeParameter } from '#http/input.ts'

export const statsFilter = z.object({
  from: timeParameter.optional(),
  to: timeParameter.optional(),
  seller_id: z.string('must be given once').optional(),
})

type StatsFilter = z.infer<typeof statsFilter>

export const variablesOf = ({ from, to, seller_id }: StatsFilter) => ({
  from: from ?? null,
  to: to ?? null,
  sellerId: seller_id ?? null,
})
