// How the demo shows the charges of a subscription: a table, the first period first.
import { z } from 'zod'

export const chargesBody = z.object({
  charges: z.array(
    z.object({
      period_index: z.number(),
      status: z.string(),
      net_amount: z.number(),
      fee_amount: z.number(),
      attempts: z.number(),
      settled_at: z.string().nullable(),
    }),
  ),
})

type Coin = { readonly ticker: string; readonly decimals: number }
export type ChargeRow = Readonly<Record<string, string | number>>

/** Returns the rows of the table. A charge that failed at first has more than one try. */
export const chargeRows = (
  { charges }: z.infer<typeof chargesBody>,
  { ticker, decimals }: Coin,
): readonly ChargeRow[] =>
  charges
    .toSorted((one, other) => one.period_index - other.period_index)
    .map(({ period_index, status, net_amount, fee_amount, attempts, settled_at }) => ({
      period: period_index,
      status,
      [`business, ${ticker}`]: net_amount / 10 ** decimals,
      [`platform, ${ticker}`]: fee_amount / 10 ** decimals,
      tries: attempts,
      settled: settled_at?.slice(0, 10) ?? '',
    }))
