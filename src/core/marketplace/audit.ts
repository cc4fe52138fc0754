// The entries of the audit trail of a marketplace. Spec: "Marketplace resources".

import type { Marketplace } from '#core/accounts/account.ts'
import { type AuditAction, changesBetween, type Fields, isSame, type NewAuditEntry } from '#core/accounts/audit.ts'
import { imagePath } from '#core/images/image.ts'
import type { Json } from '#core/json.ts'
import type { Seller } from '#core/marketplace/seller.ts'

const TERMS = (marketplace: Marketplace | null): Fields => ({
  status: marketplace?.status ?? null,
  default_fee_bps: marketplace?.defaultFeeBps ?? null,
  fee_wallet: marketplace?.feeWallet ?? null,
  seller_limit: marketplace?.sellerLimit ?? null,
})

/** Returns an entry for each changed field of a marketplace; null before its first approval. */
export const marketplaceEntries = (before: Marketplace | null, after: Marketplace): readonly NewAuditEntry[] =>
  Object.entries(changesBetween(TERMS(before), TERMS(after))).map(([name, change]) => ({
    action: 'marketplace.updated',
    sellerId: null,
    changes: { [name]: change },
  }))

const PROFILE = ({ name, externalId, description, metadata, label, logoName }: Seller): Fields => ({
  name,
  external_id: externalId,
  description,
  metadata,
  label,
  // A path, because the public address can change and an entry cannot.
  logo_url: logoName && imagePath(logoName),
})
const PAYOUT = ({ sweepDestination }: Seller): Fields => ({ sweep_destination: sweepDestination })
const FEE = ({ marketplaceFeeBps }: Seller): Fields => ({ marketplace_fee_bps: marketplaceFeeBps })

/** The dimensions of a seller. A change writes one entry for each dimension that it touches. */
const DIMENSIONS = [
  ['seller.updated', PROFILE],
  ['seller.payout_changed', PAYOUT],
  ['seller.fee_changed', FEE],
] as const satisfies readonly (readonly [AuditAction, (seller: Seller) => Fields])[]

/** Returns an entry for each changed dimension of a seller: profile, payout address and fee rate. */
export const sellerEntries = (before: Seller, after: Seller): readonly NewAuditEntry[] =>
  DIMENSIONS.flatMap(([action, fieldsOf]) => {
    const changes = changesBetween(fieldsOf(before), fieldsOf(after))
    return Object.keys(changes).length === 0 ? [] : [{ action, sellerId: after.id, changes }]
  })

/** Returns the entry of a new seller, with every field that it was given. */
export function creationEntry(seller: Seller): NewAuditEntry {
  const given: Fields = { ...PROFILE(seller), ...PAYOUT(seller), ...FEE(seller) }
  const isGiven = (value: Json) => value !== null && !isSame(value, {})
  const changes = Object.entries(given).filter(([, value]) => isGiven(value))
  return {
    action: 'seller.created',
    sellerId: seller.id,
    changes: Object.fromEntries(changes.map(([name, value]) => [name, [null, value] as const])),
  }
}

export const archiveEntry = (seller: Seller, at: Date): NewAuditEntry => ({
  action: 'seller.archived',
  sellerId: seller.id,
  changes: { archived_at: [null, at.toISOString()] },
})

type CreatedPayment = {
  readonly id: string
  readonly accountId: string
  readonly reference: string | null
  readonly priceUsdCents: bigint
  readonly marketplaceFeeBps: number | null
}

/** Returns the entry of a new payment for a seller. */
export const paymentEntry = (payment: CreatedPayment): NewAuditEntry => ({
  action: 'payment.created',
  sellerId: payment.accountId,
  changes: {
    payment_id: [null, payment.id],
    reference: [null, payment.reference],
    price_usd_cents: [null, Number(payment.priceUsdCents)],
    marketplace_fee_bps: [null, payment.marketplaceFeeBps],
  },
})

/** Returns the entry of cuts that a settlement waives to the seller. Amounts are decimal strings of base units. */
export const waiverEntry = (
  { id, accountId }: Pick<CreatedPayment, 'id' | 'accountId'>,
  waived: readonly { readonly role: string; readonly amount: bigint }[],
): NewAuditEntry => ({
  action: 'settlement.leg_waived',
  sellerId: accountId,
  changes: {
    payment_id: [id, id],
    ...Object.fromEntries(waived.map(({ role, amount }) => [`${role}_amount`, [amount.toString(), '0'] as const])),
  },
})
