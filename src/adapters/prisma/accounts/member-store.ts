import { cancelPayoutChange } from '#adapters/prisma/accounts/account-store.ts'
import { writeAudit } from '#adapters/prisma/accounts/audit-writes.ts'
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { loginFromRow, memberFromRow } from '#adapters/prisma/rows.ts'
import { lockAccount, type Tx } from '#adapters/prisma/transaction.ts'
import type { Authorship } from '#core/accounts/audit.ts'
import {
  type ListedMember,
  linkCreated,
  loginRemoved,
  MAX_MEMBERS,
  memberInvited,
  memberRemoved,
  memberUpdated,
} from '#core/accounts/member.ts'
import type { MemberStore, NewLink } from '#ports/members.ts'

const WITH_LOGINS = { credentials: { orderBy: { createdAt: 'asc' } } } satisfies Prisma.MemberInclude

export function createMemberStore(prisma: PrismaClient): MemberStore {
  return {
    async list(accountId) {
      const where = { accountId, removedAt: null }
      const rows = await prisma.member.findMany({ where, include: WITH_LOGINS, orderBy: { createdAt: 'asc' } })
      return rows.map(listedFromRow)
    },

    find: ({ accountId }, id) => find(prisma, accountId, id),

    async ownerOf(id) {
      const row = await prisma.member.findFirst({ where: { id, removedAt: null }, select: { accountId: true } })
      return row?.accountId ?? null
    },

    invite: (member, link, by) =>
      prisma.$transaction(async (tx) => {
        const { accountId } = member
        await lockAccount(tx, accountId)
        if ((await tx.member.count({ where: { accountId, removedAt: null } })) >= MAX_MEMBERS) return false
        await tx.member.create({ data: member })
        await putLink(tx, member.id, link, by)
        await writeAudit(tx, accountId, by, [memberInvited(member), linkCreated(member, link.expiresAt)])
        return true
      }),

    addLink: ({ accountId }, id, link, by) =>
      prisma.$transaction(async (tx) => {
        await lockAccount(tx, accountId)
        const member = await find(tx, accountId, id)
        if (member === null) return null
        await putLink(tx, id, link, by)
        await writeAudit(tx, accountId, by, [linkCreated(member, link.expiresAt)])
        return member
      }),

    update: ({ accountId }, id, patch, by) =>
      prisma.$transaction(async (tx) => {
        await lockAccount(tx, accountId)
        const before = await find(tx, accountId, id)
        if (before === null) return null
        const leaves = patch.role !== undefined && patch.role !== 'owner'
        if (leaves && (await isLastOwner(tx, before, by))) return 'last_owner'
        if (leaves) await cancelPayoutChange(tx, accountId, by, id)
        const after = memberFromRow(await tx.member.update({ where: { id }, data: patch }))
        const entry = memberUpdated(before, after)
        await writeAudit(tx, accountId, by, entry === null ? [] : [entry])
        return after
      }),

    remove: ({ accountId }, id, by) =>
      prisma.$transaction(async (tx) => {
        await lockAccount(tx, accountId)
        const member = await find(tx, accountId, id)
        if (member === null) return null
        if (await isLastOwner(tx, member, by)) return 'last_owner'
        const memberId = id
        await cancelPayoutChange(tx, accountId, by, memberId)
        await tx.session.deleteMany({ where: { memberId } })
        await tx.loginLink.deleteMany({ where: { memberId } })
        await tx.loginCredential.deleteMany({ where: { memberId } })
        await writeAudit(tx, accountId, by, [memberRemoved(member)])
        return memberFromRow(await tx.member.update({ where: { id }, data: { removedAt: by.at } }))
      }),

    removeLogin: ({ accountId }, memberId, loginId, by) =>
      prisma.$transaction(async (tx) => {
        await lockAccount(tx, accountId)
        const member = await find(tx, accountId, memberId)
        const login = member?.logins.find(({ id }) => id === loginId)
        if (member === null || login === undefined) return null
        if (member.logins.length === 1 && (await isLastOwner(tx, member, by))) return 'last_owner'
        await tx.loginCredential.delete({ where: { id: loginId } })
        await writeAudit(tx, accountId, by, [loginRemoved(member, login)])
        return { ...member, logins: member.logins.filter(({ id }) => id !== loginId) }
      }),
  }
}

const listedFromRow = ({
  credentials,
  ...row
}: Prisma.MemberGetPayload<{ include: typeof WITH_LOGINS }>): ListedMember => ({
  ...memberFromRow(row),
  logins: credentials.map(loginFromRow),
})

async function find(db: Pick<Tx, 'member'>, accountId: string, id: string): Promise<ListedMember | null> {
  const row = await db.member.findFirst({ where: { id, accountId, removedAt: null }, include: WITH_LOGINS })
  return row === null ? null : listedFromRow(row)
}

/** Only the newest link of a member works. */
async function putLink(tx: Tx, memberId: string, { tokenHash, expiresAt }: NewLink, { at }: Authorship): Promise<void> {
  await tx.loginLink.deleteMany({ where: { memberId, usedAt: null } })
  await tx.loginLink.create({
    data: { memberId, tokenHash: Uint8Array.from(tokenHash), createdAt: at, expiresAt },
  })
}

/** Returns whether the business would be left without an owner who can log in. The operator may do that. */
async function isLastOwner(tx: Tx, member: ListedMember, { actor }: Authorship): Promise<boolean> {
  if (actor.kind === 'operator' || member.role !== 'owner' || member.logins.length === 0) return false
  const { accountId, id } = member
  const others = { accountId, role: 'owner', removedAt: null, id: { not: id }, credentials: { some: {} } }
  return (await tx.member.count({ where: others })) === 0
}
