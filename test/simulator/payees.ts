// The payees: businesses, and the sellers of the business that is a marketplace. Each names a sweep destination, and
// may name another later.
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Address } from '#core/chain/types.ts'
import type { Wallet } from './chain/wallets.ts'
import { NETWORK } from './instance-ports.ts'

export type Payee = {
  readonly accountId: string
  /** The business whose key creates its payments: the marketplace of a seller, otherwise the payee itself. */
  readonly caller: Tenant
  /** How much less than the price the caller tolerates, in basis points. */
  readonly toleranceBps: number
  /** Set on a seller. */
  readonly terms: SellerTerms | null
  /** Every sweep destination of the payee, the newest last. */
  readonly wallets: Wallet[]
}

/** The rate of the marketplace for a seller's SOL payments, unless the payment names another rate. */
export type SellerTerms = {
  readonly feeBps: number
  /** Null where the cuts go to the marketplace's own sweep destination. */
  readonly feeWallet: Address | null
}

/** Returns the current sweep destination. */
export function walletOf({ wallets }: Payee): Wallet {
  const wallet = wallets.at(-1)
  if (wallet === undefined) throw new RangeError('a payee without a sweep destination')
  return wallet
}

type Db = Pick<Database, 'query'>

/** Lets a business take payments for sellers. Without a fee wallet its cuts go to its sweep destination. */
export async function addMarketplace(
  db: Db,
  accountId: string,
  { feeBps, feeWallet }: { readonly feeBps: number; readonly feeWallet: Address | null },
): Promise<void> {
  await db.query(
    `INSERT INTO marketplaces (account_id, status, default_fee_bps, fee_wallet, updated_at)
     VALUES ($1::uuid, 'active', $2, $3, now())`,
    [accountId, feeBps, feeWallet],
  )
}

/** `feeBps` null uses the marketplace's default. */
export async function addSeller(
  db: Db,
  seller: {
    readonly id: string
    readonly marketplaceId: string
    readonly destination: Address
    readonly feeBps: number | null
  },
): Promise<void> {
  await db.query(
    `INSERT INTO accounts (id, network, name, sweep_destination, marketplace_account_id, external_id,
       marketplace_fee_bps, updated_at)
     VALUES ($1::uuid, $2::network_name, 'A Seller', $3, $4::uuid, 'seller', $5, now())`,
    [seller.id, NETWORK, seller.destination, seller.marketplaceId, seller.feeBps],
  )
}
