import { z } from 'zod'
import { address, body } from '#http/input.ts'
import { RestUpdateMarketplaceDocument } from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/marketplace-endpoint.ts'
import { sent } from '#rest/sent.ts'

const RATE = 'must be an integer from 0 to 5000'

export const updateMarketplace = marketplaceEndpoint({
  method: 'PATCH',
  path: '/marketplace',
  document: RestUpdateMarketplaceDocument,
  input: body({
    default_fee_bps: z.int(RATE).min(0, RATE).max(5_000, RATE).optional(),
    fee_wallet: z
      .union([z.literal('').transform(() => null), address], 'must be a Solana address, or an empty string')
      .nullish(),
  }),
  variables: ({ default_fee_bps, fee_wallet }) => ({
    input: sent({ defaultFeeBps: default_fee_bps, feeWallet: fee_wallet }),
  }),
  reply: ({ marketplace }) => ({ body: marketplace }),
})
