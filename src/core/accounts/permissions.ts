// What a credential may do: one table for the scopes of API keys and the roles of members. Spec: "Authentication".

type Row = {
  readonly name: string
  /** Its name where no hyphen can be written. */
  readonly enumName: string
  readonly meaning: string
}

/** What keys and members can have. `usual`: a key has it unless its scopes are chosen. */
export const KEY_PERMISSIONS = [
  { name: 'payments', enumName: 'payments', usual: true, meaning: 'Payments of the business.' },
  {
    name: 'payments-view',
    enumName: 'payments_view',
    usual: false,
    meaning: 'Reading payments of the business. A part of `payments`.',
  },
  {
    name: 'marketplace-view',
    enumName: 'marketplace_view',
    usual: true,
    meaning: 'Reading the marketplace and its sellers.',
  },
  {
    name: 'marketplace-manage',
    enumName: 'marketplace_manage',
    usual: true,
    meaning: 'Changing the marketplace and its sellers.',
  },
  {
    name: 'subscriptions-view',
    enumName: 'subscriptions_view',
    usual: true,
    meaning: 'Reading products, tiers, checkouts and subscriptions.',
  },
  {
    name: 'subscriptions-manage',
    enumName: 'subscriptions_manage',
    usual: true,
    meaning: 'Changing products, tiers, checkouts and subscriptions.',
  },
  {
    name: 'webhooks-manage',
    enumName: 'webhooks_manage',
    usual: true,
    meaning: 'Webhook endpoints and their deliveries.',
  },
  { name: 'audit-view', enumName: 'audit_view', usual: false, meaning: 'Reading who changed what.' },
  {
    name: 'keys-manage',
    enumName: 'keys_manage',
    usual: false,
    meaning: 'API keys: reading, creating, rolling and revoking them.',
  },
] as const satisfies readonly (Row & { readonly usual: boolean })[]

export type KeyPermission = (typeof KEY_PERMISSIONS)[number]['name']
export type Permission = KeyPermission

/** What an API key can be given. */
export const KEY_SCOPES: readonly KeyPermission[] = KEY_PERMISSIONS.map(({ name }) => name)

/** What an API key is given when nothing is chosen. */
export const USUAL_KEY_SCOPES: readonly KeyPermission[] = KEY_PERMISSIONS.flatMap(({ name, usual }) =>
  usual ? [name] : [],
)

/** Returns the scopes with those that are parts of them. */
export const withParts = (scopes: readonly Permission[]): ReadonlySet<Permission> =>
  new Set(scopes.includes('payments') ? [...scopes, 'payments-view' as const] : scopes)
