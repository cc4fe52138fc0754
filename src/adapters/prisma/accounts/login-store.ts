import { writeAudit } from '#adapters/prisma/accounts/audit-writes.ts'
import type { Prisma, PrismaClient } from '#adapters/prisma/generated/client.ts'
import { accountFromRow, loginFromRow, memberFromRow } from '#adapters/prisma/rows.ts'
import { lockAccount, type Tx } from '#adapters/prisma/transaction.ts'
import type { Authorship } from '#core/accounts/audit.ts'
import {
  isUsable,
  loginAdded,
  MAX_LOGINS,
  type Member,
  type NewLogin,
  type Passkey,
  sessionEnded,
  sessionStarted,
} from '#core/accounts/member.ts'
import { MAX_SESSIONS } from '#core/accounts/session.ts'
import type { Answered, FoundLogin, LoginStore, NewSession } from '#ports/members.ts'

const WITH_OWNER = { member: { include: { account: true } } } as const

export function createLoginStore(prisma: PrismaClient): LoginStore {
  return {
    async findLink(tokenHash) {
      const where = { tokenHash: Uint8Array.from(tokenHash) }
      const row = await prisma.loginLink.findUnique({ where, include: WITH_OWNER })
      if (row === null) return null
      const { memberId, expiresAt, usedAt } = row
      return { ...ownerOf(row), link: { memberId, expiresAt, usedAt } }
    },

    async findWallet(wallet) {
      const rows = await prisma.loginCredential.findMany({
        where: { wallet },
        include: WITH_OWNER,
        orderBy: { createdAt: 'asc' },
      })
      return rows.map(foundFromRow)
    },

    async findPasskey(id) {
      const row = await prisma.loginCredential.findUnique({ where: { passkeyId: id }, include: WITH_OWNER })
      return row === null ? null : foundFromRow(row)
    },

    async passkeysOf(memberId) {
      const rows = await prisma.loginCredential.findMany({ where: { memberId }, orderBy: { createdAt: 'asc' } })
      return rows.map(passkeyOf).filter((passkey) => passkey !== null)
    },

    add: (member, login, { answered, link, session }, by) =>
      prisma.$transaction(async (tx) => {
        const memberId = member.id
        await lockAccount(tx, member.accountId)
        if (!(await isThere(tx, member)) || (link !== null && !(await isLinkUsable(tx, link, by)))) return 'link'
        if ((await tx.loginCredential.count({ where: { memberId } })) >= MAX_LOGINS) return 'full'
        if (!(await useUp(tx, answered))) return 'used'
        const data = { memberId, accountId: member.accountId, createdAt: by.at, ...columnsOf(login) }
        if ((await tx.loginCredential.createMany({ data, skipDuplicates: true })).count === 0) return 'taken'
        await writeAudit(tx, member.accountId, by, [loginAdded(member, login)])
        if (link !== null)
          await tx.loginLink.update({ where: { tokenHash: Uint8Array.from(link) }, data: { usedAt: by.at } })
        if (session !== null) await startSession(tx, member, session, by)
        return 'added'
      }),

    use: ({ member, login, passkey }, { answered, counter, session }, by) =>
      prisma.$transaction(async (tx) => {
        await lockAccount(tx, member.accountId)
        if (!(await useUp(tx, answered))) return false
        const { count } = await tx.loginCredential.updateMany({
          where: { id: login.id, ...(passkey !== null && { counter: passkey.counter }) },
          data: { lastUsedAt: by.at, ...(counter !== null && { counter }) },
        })
        if (count === 0) return false
        if (!('provedId' in session)) await startSession(tx, member, session, by)
        else {
          const where = { id: session.provedId, memberId: member.id }
          return (await tx.session.updateMany({ where, data: { provedAt: by.at } })).count === 1
        }
        return true
      }),
  }
}

type OwnedRow = { readonly member: Prisma.MemberGetPayload<{ include: { account: true } }> }

const ownerOf = ({ member: { account, ...member } }: OwnedRow) => ({
  member: memberFromRow(member),
  account: accountFromRow(account),
})

function foundFromRow(row: Prisma.LoginCredentialGetPayload<{ include: typeof WITH_OWNER }>): FoundLogin {
  return { ...ownerOf(row), login: loginFromRow(row), passkey: passkeyOf(row) }
}

const passkeyOf = ({
  passkeyId,
  publicKey,
  counter,
  transports,
}: Prisma.LoginCredentialGetPayload<object>): Passkey | null =>
  passkeyId === null || publicKey === null
    ? null
    : { id: passkeyId, publicKey: Uint8Array.from(publicKey), counter: Number(counter ?? 0), transports }

const columnsOf = ({ id, name, wallet, passkey }: NewLogin) => ({
  id,
  name,
  wallet,
  ...(passkey !== null && {
    passkeyId: passkey.id,
    publicKey: Uint8Array.from(passkey.publicKey),
    counter: passkey.counter,
    transports: [...passkey.transports],
  }),
})

const isThere = async (tx: Tx, { id }: Member): Promise<boolean> =>
  (await tx.member.count({ where: { id, removedAt: null } })) === 1

async function isLinkUsable(tx: Tx, tokenHash: Uint8Array, { at }: Authorship): Promise<boolean> {
  const link = await tx.loginLink.findUnique({ where: { tokenHash: Uint8Array.from(tokenHash) } })
  return link !== null && isUsable(link, at)
}

/** Returns false when the challenge was answered before. */
async function useUp(tx: Tx, { hash, expiresAt }: Answered): Promise<boolean> {
  const data = { hash: Uint8Array.from(hash), expiresAt }
  return (await tx.usedLoginChallenge.createMany({ data, skipDuplicates: true })).count === 1
}

async function startSession(tx: Tx, member: Member, session: NewSession, by: Authorship): Promise<void> {
  const { id: memberId, accountId } = member
  const oldest = await tx.session.findMany({
    where: { memberId },
    orderBy: { lastSeenAt: 'desc' },
    skip: MAX_SESSIONS - 1,
    select: { id: true },
  })
  await tx.session.deleteMany({ where: { id: { in: oldest.map(({ id }) => id) } } })
  await tx.session.create({ data: { ...session, memberId, tokenHash: Uint8Array.from(session.tokenHash) } })
  const ended = oldest.map(({ id }) => sessionEnded(member, id))
  await writeAudit(tx, accountId, by, [...ended, sessionStarted(member, session.id)])
}
