// The fields of a seller as a request sends them. An empty string clears what can be cleared, and so does null.
import { z } from 'zod'
import { address, jsonObject, line, text } from '#http/input.ts'
import { sent } from '#rest/sent.ts'

const cleared = z.literal('').transform(() => null)
const RATE = 'must be an integer from 0 to 5000, or an empty string'
const ADDRESS = 'must be a Solana address, or an empty string'
const OBJECT = 'must be a JSON object'

export const sellerFields = {
  description: text.transform((given) => (given === '' ? null : given)).nullish(),
  metadata: jsonObject(OBJECT).nullish(),
  label: z.union([cleared, line], 'must be one line of text, or an empty string').nullish(),
  sweep_destination: z.union([cleared, address], ADDRESS).nullish(),
  marketplace_fee_bps: z.union([cleared, z.int().min(0).max(5_000)], RATE).nullish(),
}

type SellerFields = z.infer<z.ZodObject<typeof sellerFields>>

export const sellerInput = ({ sweep_destination, marketplace_fee_bps, ...fields }: SellerFields) =>
  sent({ ...fields, sweepDestination: sweep_destination, marketplaceFeeBps: marketplace_fee_bps })
