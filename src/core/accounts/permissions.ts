// What a credential may do: one table for the scopes of API keys and the roles of members. Spec: "Authentication".

/** An owner has every permission. */
export const ROLES = ['owner', 'developer', 'finance', 'viewer'] as const
export type Role = (typeof ROLES)[number]

type Row = {
  readonly name: string
  /** Its name where no hyphen can be written. */
  readonly enumName: string
  readonly meaning: string
  /** `usual`: a key has it unless its scopes are chosen. `chosen`: only a key whose scopes name it. `never`: members alone. */
  readonly keys: 'usual' | 'chosen' | 'never'
  /** The other roles that have it. */
  readonly roles: readonly Exclude<Role, 'owner'>[]
}

const PERMISSIONS = [
  {
    name: 'payments',
    enumName: 'payments',
    meaning: 'Payments of the business.',
    keys: 'usual',
    roles: ['finance'],
  },
  {
    name: 'payments-view',
    enumName: 'payments_view',
    meaning: 'Reading payments of the business. A part of `payments`.',
    keys: 'chosen',
    roles: ['developer', 'finance', 'viewer'],
  },
  {
    name: 'marketplace-view',
    enumName: 'marketplace_view',
    meaning: 'Reading the marketplace and its sellers.',
    keys: 'usual',
    roles: ['developer', 'finance', 'viewer'],
  },
  {
    name: 'marketplace-manage',
    enumName: 'marketplace_manage',
    meaning: 'Changing the marketplace and its sellers.',
    keys: 'usual',
    roles: ['finance'],
  },
  {
    name: 'subscriptions-view',
    enumName: 'subscriptions_view',
    meaning: 'Reading products, tiers, checkouts and subscriptions.',
    keys: 'usual',
    roles: ['developer', 'finance', 'viewer'],
  },
  {
    name: 'subscriptions-manage',
    enumName: 'subscriptions_manage',
    meaning: 'Changing products, tiers, checkouts and subscriptions.',
    keys: 'usual',
    roles: ['finance'],
  },
  {
    name: 'webhooks-manage',
    enumName: 'webhooks_manage',
    meaning: 'Webhook endpoints and their deliveries.',
    keys: 'usual',
    roles: ['developer'],
  },
  {
    name: 'audit-view',
    enumName: 'audit_view',
    meaning: 'Reading who changed what.',
    keys: 'chosen',
    roles: ['developer', 'finance', 'viewer'],
  },
  {
    name: 'keys-manage',
    enumName: 'keys_manage',
    meaning: 'API keys: reading, creating, rolling and revoking them.',
    keys: 'chosen',
    roles: ['developer'],
  },
  {
    name: 'settings-manage',
    enumName: 'settings_manage',
    meaning: 'What buyers see of the business, and what its payments have unless they say otherwise.',
    keys: 'chosen',
    roles: ['developer'],
  },
  {
    name: 'members-view',
    enumName: 'members_view',
    meaning: 'Reading the members of the business.',
    keys: 'never',
    roles: ['developer', 'finance', 'viewer'],
  },
  {
    name: 'members-manage',
    enumName: 'members_manage',
    meaning: 'Members: inviting, changing and removing them, and their sessions.',
    keys: 'never',
    roles: [],
  },
  {
    name: 'payout-manage',
    enumName: 'payout_manage',
    meaning: 'Changing the wallet that receives the money of the business.',
    keys: 'never',
    roles: [],
  },
] as const satisfies readonly Row[]

type Permissions = (typeof PERMISSIONS)[number]
type OfKeys = Exclude<Permissions, { readonly keys: 'never' }>

export type Permission = Permissions['name']
export type KeyPermission = OfKeys['name']

const isOfKeys = (row: Permissions): row is OfKeys => row.keys !== 'never'

/** What keys and members can have. */
export const KEY_PERMISSIONS: readonly OfKeys[] = PERMISSIONS.filter(isOfKeys)

/** What an API key can be given. */
export const KEY_SCOPES: readonly KeyPermission[] = KEY_PERMISSIONS.map(({ name }) => name)

/** Says what a key has when no scopes are chosen; `nameOf` names a scope. */
export const usualScopesAs = (nameOf: (permission: OfKeys) => string): string =>
  `everything but ${KEY_PERMISSIONS.filter(({ keys }) => keys === 'chosen')
    .map(nameOf)
    .join(', ')}`

/** What an API key is given when nothing is chosen. */
export const USUAL_KEY_SCOPES: readonly KeyPermission[] = KEY_PERMISSIONS.flatMap(({ name, keys }) =>
  keys === 'usual' ? [name] : [],
)

/** Returns the scopes with those that are parts of them. */
export const withParts = (scopes: readonly Permission[]): ReadonlySet<Permission> =>
  new Set(scopes.includes('payments') ? [...scopes, 'payments-view' as const] : scopes)

const has = ({ roles }: { readonly roles: readonly Role[] }, role: Role): boolean =>
  role === 'owner' || roles.includes(role)

/** Returns what a member with the role may do. */
export const permissionsOf = (role: Role): ReadonlySet<Permission> =>
  new Set(PERMISSIONS.flatMap((row) => (has(row, role) ? [row.name] : [])))
