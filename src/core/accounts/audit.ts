// The audit log of a business: who changed what, each changed field before and after. The entries about its marketplace and
// sellers are the audit trail. Spec: "Marketplace resources".

import { imagePath } from '#core/images/image.ts'
import type { Json } from '#core/json.ts'
import type { Account } from './account.ts'

/** What an entry of the audit trail of a marketplace is about. */
export const MARKETPLACE_ACTIONS = [
  'marketplace.updated',
  'seller.created',
  'seller.updated',
  'seller.payout_changed',
  'seller.fee_changed',
  'seller.archived',
  'seller.disabled',
  'seller.enabled',
  'payment.created',
  'settlement.leg_waived',
] as const

/** What any other entry of the audit log of a business is about. */
const BUSINESS_ACTIONS = [
  'business.updated',
  'business.payout_changed',
  'business.disabled',
  'business.enabled',
  'business.applied',
  'business.application_refused',
  'business.payout_change_requested',
  'business.payout_change_canceled',
  'key.created',
  'key.rolled',
  'key.revoked',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.secret_rotated',
  'domain.added',
  'domain.archived',
  'payment.address_proposed',
  'payment.address_approved',
  'payment.address_declined',
  'refund.created',
  'refund.canceled',
  'member.invited',
  'member.updated',
  'member.removed',
  'member.link_created',
  'member.login_added',
  'member.login_removed',
  'member.session_started',
  'member.session_ended',
] as const
export type BusinessAction = (typeof BUSINESS_ACTIONS)[number]

export const AUDIT_ACTIONS = [...MARKETPLACE_ACTIONS, ...BUSINESS_ACTIONS] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

export const ACTOR_KINDS = ['api_key', 'member', 'operator', 'service', 'buyer'] as const
export type ActorKind = (typeof ACTOR_KINDS)[number]

/** The source of a change. */
export type Actor = {
  readonly kind: ActorKind
  /** The mode and the last characters of an API key, such as `sk_live_…x7Qa`, never the key; the name of a member. */
  readonly credential: string | null
  /** Null for other kinds than a member. */
  readonly memberId: string | null
  /** The network address of the request. Null for a change of a buyer, and one that the service makes by itself. */
  readonly ip: string | null
}

/** Who makes a change, and when. */
export type Authorship = { readonly actor: Actor; readonly at: Date }

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
  memberId: null,
  ip,
})

/** Returns the actor of a request in the session of a member. */
export const memberActor = (memberId: string, name: string, ip: string): Actor => ({
  kind: 'member',
  credential: name,
  memberId,
  ip,
})

/** Returns the actor of a request with the token of the operator. */
export const operatorActor = (ip: string): Actor => ({ kind: 'operator', credential: null, memberId: null, ip })

/** The service itself, for what no request asked for. */
export const SERVICE_ACTOR: Actor = { kind: 'service', credential: null, memberId: null, ip: null }

/** The holder of the client secret of a payment. Nothing else is kept of a buyer. */
export const BUYER_ACTOR: Actor = { kind: 'buyer', credential: null, memberId: null, ip: null }

export type Fields = Readonly<Record<string, Json>>

/** Returns the fields whose values differ. */
export function changesBetween(before: Fields, after: Fields): Changes {
  const names = Object.keys(after).filter((name) => !isSame(before[name] ?? null, after[name] ?? null))
  return Object.fromEntries(names.map((name) => [name, [before[name] ?? null, after[name] ?? null]]))
}

/** Returns whether two JSON values are equal. The order of keys is no difference. */
export function isSame(one: Json, other: Json): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [ones, others] = [Object.entries(one), new Map<string, Json>(Object.entries(other))]
  return (
    ones.length === others.size &&
    ones.every(([name, value]) => others.has(name) && isSame(value, others.get(name) ?? null))
  )
}

// What the audit log says of a changed business.

const PROFILE = ({ name, label, brand, defaults }: Account): Fields => ({
  name,
  label,
  // A path, because the public address can change and an entry cannot.
  logo_url: brand.logoName && imagePath(brand.logoName),
  accent_color: brand.accentColor,
  support_url: brand.supportUrl,
  support_email: brand.supportEmail,
  accepted_tokens: [...defaults.acceptedAssets],
  success_url: defaults.successUrl,
  cancel_url: defaults.cancelUrl,
  underpayment_tolerance_bps: defaults.underpaymentToleranceBps,
})
const PAYOUT = ({ sweepDestination }: Account): Fields => ({ sweep_destination: sweepDestination })

const STANDING = ({ disabledAt, disabledReason }: Account): Fields => ({
  disabled_at: disabledAt?.toISOString() ?? null,
  disabled_reason: disabledReason,
})
const standingAction = ({ marketplaceAccountId, disabledAt }: Account): AuditAction =>
  `${marketplaceAccountId === null ? 'business' : 'seller'}.${disabledAt === null ? 'enabled' : 'disabled'}`

const DIMENSIONS: readonly (readonly [(after: Account) => AuditAction, (account: Account) => Fields])[] = [
  [() => 'business.updated', PROFILE],
  [() => 'business.payout_changed', PAYOUT],
  [standingAction, STANDING],
]

/**
 * Returns an entry for what buyers see of a business, one for its payout wallet, and one for whether it is disabled, where
 * these changed.
 */
export const businessEntries = (before: Account, after: Account): readonly NewAuditEntry[] =>
  DIMENSIONS.flatMap(([actionOf, fieldsOf]) => {
    const changes = changesBetween(fieldsOf(before), fieldsOf(after))
    const sellerId = after.marketplaceAccountId === null ? null : after.id
    return Object.keys(changes).length === 0 ? [] : [{ action: actionOf(after), sellerId, changes }]
  })
