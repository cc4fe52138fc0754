// How the demo shows a settlement: a table of its legs.
import { z } from 'zod'
import { DemoError } from './service.ts'

const leg = z.object({
  role: z.string(),
  destination: z.string(),
  amount: z.number(),
  amount_ui: z.number(),
  fee_bps: z.number().nullable(),
})
export const statusBody = z.object({
  status: z.string(),
  received_lamports: z.number(),
  settlement: z.object({
    asset: z.string(),
    decimals: z.number(),
    destination_amount: z.number(),
    destination_ui: z.number(),
    signatures: z.array(z.string()),
    legs: z.array(leg),
  }),
})
type Settled = z.infer<typeof statusBody>

/** Returns the rows of the table. A leg that is a share of the payment has its rate as the fee. */
export const legRows = ({ settlement: { asset, legs } }: Settled) =>
  legs.map(({ role, destination, amount_ui, fee_bps }) => ({
    ...{ role, destination, [asset]: amount_ui },
    fee: fee_bps === null ? '' : `${fee_bps / 100} %`,
  }))

/** Returns the sum of the legs as text. Throws `DemoError` when it is not the amount that was received. */
export function sumOfLegs({ received_lamports: received, settlement: { asset, decimals, legs } }: Settled): string {
  const sum = legs.reduce((total, { amount }) => total + amount, 0)
  if (sum !== received) throw new DemoError(`The legs sum to ${sum} base units, and ${received} were received.`)
  return `${(sum / 10 ** decimals).toFixed(decimals)} ${asset}`
}
