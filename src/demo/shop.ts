// The business of the demo. The demo changes its webhook URL, and never the settings of another business. The data
// directory keeps it for the next demo.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateKeyPairSigner } from '@solana/kit'
import { z } from 'zod'
import { DemoError, type OperatorClient, type Rest } from './service.ts'

const shop = z.object({ account_id: z.string(), api_key: z.string(), webhook_secret: z.string() })
export type DemoShop = z.infer<typeof shop>

/** The buyer's wallet shows `label`. */
const NAMES = { name: 'npm run demo', label: 'Demo Shop' }

const fileIn = (dataDir: string): string => join(dataDir, 'demo-shop.json')

/** Returns the business of the last demo, or opens a business when there is none. Its webhooks go to `webhookUrl`. */
export async function openShop(dataDir: string, operator: OperatorClient, webhookUrl: string): Promise<DemoShop> {
  const kept = await readShop(dataDir)
  if (kept !== null && (await operator.setWebhookUrl(kept.account_id, webhookUrl))) return kept
  const { address: sweepDestination } = await generateKeyPairSigner()
  const made = await operator.createAccount({ ...NAMES, sweepDestination, webhookUrl })
  await writeFile(fileIn(dataDir), `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 })
  return made
}

async function readShop(dataDir: string): Promise<DemoShop | null> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => null)
  if (text === null) return null
  const read = shop.safeParse(JSON.parse(text))
  return read.success ? read.data : null
}

/** Returns the error for a credential of the shop that is no longer valid: an operator rotated or revoked it. */
export const outdated = (dataDir: string, what: string): DemoError =>
  new DemoError(`${what} Remove ${fileIn(dataDir)} and run the demo again: it opens another business.`)

// The seller of `npm run demo -- --marketplace`: the operator approves the business of the demo as a marketplace, and
// the business creates the seller.

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
