// The terms of a marketplace.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { address, body, sent } from '#http/input.ts'
import { RestFindMarketplaceDocument, RestUpdateMarketplaceDocument } from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/endpoint.ts'

const RATE = 'must be an integer from 0 to 5000'

export const marketplaceEndpoints: readonly Endpoint[] = [
  marketplaceEndpoint({
    method: 'GET',
    path: '/marketplace',
    document: RestFindMarketplaceDocument,
    input: z.unknown(),
    variables: () => ({}),
    reply: ({ marketplace }) => ({ body: marketplace }),
  }),
  marketplaceEndpoint({
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
  }),
]
