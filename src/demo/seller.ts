// The seller of `npm run demo -- --marketplace`: the operator approves the business of the demo as a marketplace, and
// the business creates the seller.
import { generateKeyPairSigner } from '@solana/kit'
import { z } from 'zod'
import type { OperatorClient, Rest } from './service.ts'
import type { DemoShop } from './shop.ts'

/** The share of the marketplace, in basis points. */
const FEE_BPS = 1_000
/** Finds the seller of the last demo. */
const EXTERNAL_ID = 'demo-seller'

const seller = z.object({ id: z.string(), name: z.string(), sweep_destination: z.string(), created: z.boolean() })
export type DemoSeller = z.infer<typeof seller>

/** Returns the seller of the last demo, or creates a seller with a payout wallet of its own. */
export async function openSeller(operator: OperatorClient, rest: Rest, shop: DemoShop): Promise<DemoSeller> {
  await operator.approveMarketplace(shop.account_id, FEE_BPS)
  const { address } = await generateKeyPairSigner()
  const body = { name: 'Demo Seller', external_id: EXTERNAL_ID, sweep_destination: address }
  return seller.parse(await rest('POST', '/marketplace/sellers', { key: shop.api_key, body }))
}
