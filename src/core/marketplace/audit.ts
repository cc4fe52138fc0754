// The audit trail of a marketplace: who changed what, each changed field before and after. Spec: "Marketplace resources".
import type { Marketplace } from '#core/accounts/account.ts'
import { imagePath } from '#core/images/image.ts'
import type { Json } from '#core/json.ts'
import type { Seller } from '#core/marketplace/seller.ts'

export const AUDIT_ACTIONS = [
  'marketplace.updated',
  'seller.created',
  'seller.updated',
  'seller.payout_changed',
  'seller.fee_changed',
  'seller.archived',
  'payment.created',
  'settlement.leg_waived',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

export const ACTOR_KINDS = ['api_key', 'operator', 'service'] as const
export type ActorKind = (typeof ACTOR_KINDS)[number]

/** The source of a change. */
export type Actor = {
  readonly kind: ActorKind
  /** The mode and the last characters of an API key, such as `sk_live_…x7Qa`. Never the key. Null for other kinds. */
  readonly credential: string | null
  /** The network address of the request. Null for a change that the service makes by itself. */
  readonly ip: string | null
}

/** Each changed field, by its name in REST, with its value before and after. */
export type Changes = Readonly<Record<string, readonly [before: Json, after: Json]>>

/** An entry before it is stored. */
export type NewAuditEntry = {
  readonly action: AuditAction
  readonly sellerId: string | null
  readonly changes: Changes
}

/** An entry as it is stored. */
export type AuditEntry = NewAuditEntry & {
  readonly id: string
  /** Grows with each entry. */
  readonly position: bigint
  readonly actor: Actor
  readonly createdAt: Date
}

/** Returns the actor of a request with an API key. */
export const keyActor = (network: string, hint: string, ip: string): Actor => ({
  kind: 'api_key',
  credential: `sk_${network}_…${hint}`,
  ip,
})

/** Returns the actor of a request with the token of the operator. */
export const operatorActor = (ip: string): Actor => ({ kind: 'operator', credential: null, ip })

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

type Fields = Readonly<Record<string, Json>>

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

/** The service itself, for what no request asked for. */
export const SERVICE_ACTOR: Actor = { kind: 'service', credential: null, ip: null }

function changesBetween(before: Fields, after: Fields): Changes {
  const names = Object.keys(after).filter((name) => !isSame(before[name] ?? null, after[name] ?? null))
  return Object.fromEntries(names.map((name) => [name, [before[name] ?? null, after[name] ?? null]]))
}

/** Returns whether two JSON values are equal. The order of keys is no difference. */
function isSame(one: Json, other: Json): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [ones, others] = [Object.entries(one), new Map<string, Json>(Object.entries(other))]
  return (
    ones.length === others.size &&
    ones.every(([name, value]) => others.has(name) && isSame(value, others.get(name) ?? null))
  )
}
