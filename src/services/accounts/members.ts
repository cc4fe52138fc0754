// Members of a business: invited, changed and removed by owners and by the operator. A link is shown once, when it is made.
import type { Tenant } from '#core/accounts/account.ts'
import { LINK_MS, type ListedMember, MAX_MEMBERS, type Member } from '#core/accounts/member.ts'
import type { Role } from '#core/accounts/permissions.ts'
import { ServiceError } from '#core/errors.ts'
import { isEmail } from '#core/payments/customer-details.ts'
import type { Clock } from '#ports/clock.ts'
import type { MemberPatch, MemberStore } from '#ports/members.ts'
import type { Random } from '#ports/random.ts'
import type { Secrets } from '#ports/secrets.ts'
import { isUuid } from '#services/requests.ts'
import type { DirectoryChanged } from './directory.ts'
import type { KeyServices } from './keys.ts'
import type { Manager } from './manager.ts'
import { readName } from './names.ts'

/** `url` has the token of the link, which is shown here and never again. */
export type ShownLink = { readonly member: Member; readonly url: string; readonly expiresAt: Date }

export type MemberInput = { readonly name: string; readonly email: string | null; readonly role: Role }

/**
 * Each that changes throws `member_not_found`, and those that take something from a member `last_owner`. A manager is an owner or
 * the operator, so there is no role that the manager could not give.
 */
export type MemberServices = {
  /** Returns the operator as the manager of a member's business. Throws `member_not_found`. */
  operatorOfMember(memberId: string, actor: Manager['actor']): Promise<Manager>
  list(tenant: Tenant): Promise<readonly ListedMember[]>
  find(tenant: Tenant, id: string): Promise<ListedMember>
  /** Throws `invalid_request` and `member_limit_reached`. */
  invite(manager: Manager, input: MemberInput): Promise<ShownLink>
  /** Makes a new link for a member who has lost the old one, or every login. Older links stop. */
  addLink(manager: Manager, id: string): Promise<ShownLink>
  update(manager: Manager, id: string, patch: MemberPatch): Promise<Member>
  /** Removes a member, with all logins and sessions. */
  remove(manager: Manager, id: string): Promise<Member>
  /** Throws `login_not_found`. */
  removeLogin(manager: Manager, id: string, loginId: string): Promise<ListedMember>
}

export type MemberDeps = {
  readonly members: MemberStore
  readonly operatorOf: KeyServices['operatorOf']
  readonly directoryChanged: DirectoryChanged
  readonly secrets: Pick<Secrets, 'issueLoginToken'>
  readonly random: Pick<Random, 'uuid'>
  readonly wallClock: Clock
  /** Without a slash at the end. */
  readonly publicUrl: string
}

export function createMemberServices(deps: MemberDeps): MemberServices {
  const { members, wallClock } = deps
  const authorOf = ({ actor }: Manager) => ({ actor, at: wallClock.now() })
  const find: MemberServices['find'] = async (tenant, id) =>
    found(isUuid(id) ? await members.find(tenant, id) : null, id)

  function newLink({ at }: { readonly at: Date }) {
    const { secret, hash } = deps.secrets.issueLoginToken()
    const expiresAt = new Date(at.getTime() + LINK_MS)
    // Behind `#`, so that no server and no log sees the token.
    return { link: { tokenHash: hash, expiresAt }, url: `${deps.publicUrl}/dashboard/join#${secret}`, expiresAt }
  }

  async function changed<T extends Member>(id: string, after: T | 'last_owner' | null): Promise<T> {
    if (after === 'last_owner') throw new ServiceError('last_owner')
    await deps.directoryChanged()
    return found(after, id)
  }

  return {
    async operatorOfMember(memberId, actor) {
      const accountId = isUuid(memberId) ? await members.ownerOf(memberId) : null
      if (accountId === null) throw notFound(memberId)
      return await deps.operatorOf(accountId, actor)
    },

    list: ({ accountId }) => members.list(accountId),
    find,

    async invite(manager, input) {
      const by = authorOf(manager)
      const { link, ...shown } = newLink(by)
      const member = {
        id: deps.random.uuid(),
        accountId: manager.tenant.accountId,
        name: readName('name', input.name),
        email: readEmail(input.email),
        role: input.role,
        createdAt: by.at,
        removedAt: null,
      }
      if (!(await members.invite(member, link, by)))
        throw new ServiceError('member_limit_reached', { limit: MAX_MEMBERS })
      return { member, ...shown }
    },

    async addLink(manager, id) {
      const by = authorOf(manager)
      await find(manager.tenant, id)
      const { link, ...shown } = newLink(by)
      return { member: found(await members.addLink(manager.tenant, id, link, by), id), ...shown }
    },

    async update(manager, id, { name, email, role }) {
      await find(manager.tenant, id)
      const patch = {
        ...(name !== undefined && { name: readName('name', name) }),
        ...(email !== undefined && { email: readEmail(email) }),
        ...(role !== undefined && { role }),
      }
      return await changed(id, await members.update(manager.tenant, id, patch, authorOf(manager)))
    },

    async remove(manager, id) {
      await find(manager.tenant, id)
      return await changed(id, await members.remove(manager.tenant, id, authorOf(manager)))
    },

    async removeLogin(manager, id, loginId) {
      const { logins } = await find(manager.tenant, id)
      if (logins.every((login) => login.id !== loginId)) throw new ServiceError('login_not_found', { id: loginId })
      return await changed(id, await members.removeLogin(manager.tenant, id, loginId, authorOf(manager)))
    },
  }
}

function readEmail(text: string | null): string | null {
  if (text === null) return null
  const email = text.trim()
  if (!isEmail(email)) throw new ServiceError('invalid_request', { field: 'email', rule: 'must be an email address' })
  return email
}

const notFound = (id: string) => new ServiceError('member_not_found', { id })

function found<T>(member: T | null, id: string): T {
  if (member === null) throw notFound(id)
  return member
}
