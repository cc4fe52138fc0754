// Who manages keys and members of a business: the operator, a member, or a key that may.
import type { Tenant } from '#core/accounts/account.ts'
import type { Actor } from '#core/accounts/audit.ts'
import { type Permission, permissionsOf } from '#core/accounts/permissions.ts'

/** A manager gives a key only what the manager has. */
export type Manager = {
  readonly tenant: Tenant
  readonly actor: Actor
  readonly mayGive: ReadonlySet<Permission>
}

/** What the operator may give. */
export const EVERY_PERMISSION: ReadonlySet<Permission> = permissionsOf('owner')
