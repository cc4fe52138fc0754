// Challenges that wallets sign.
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Prisma } from '#adapters/prisma/generated/client.ts'
import type { Tx } from '#adapters/prisma/transaction.ts'
import {
  MAX_FAILURES,
  type NewChallenge,
  type StoredChallenge,
  type WalletProof,
} from '#core/billing/proof/challenge.ts'
import { readPurpose } from '#core/billing/proof/consent.ts'
import { makeAddress } from '#core/chain/base58.ts'
import type { ChallengeLimit, ChallengeStore } from '#ports/portal.ts'

export const createChallengeStore = (db: Database): ChallengeStore => ({
  issue: (challenge, limit) => db.prisma.$transaction((tx) => issue(tx, challenge, limit)),

  async find(nonceHash) {
    const row = await db.prisma.walletChallenge.findUnique({ where: { nonceHash: Uint8Array.from(nonceHash) } })
    return row === null ? null : challengeFromRow(row)
  },

  async countFailure(nonceHash) {
    const where = { nonceHash: Uint8Array.from(nonceHash), usedAt: null }
    await db.prisma.walletChallenge.updateMany({ where, data: { failures: { increment: 1 } } })
  },

  async keepAnswer(proof) {
    await db.prisma.walletChallenge.updateMany({ where: answerable(proof), data: signed(proof) })
  },

  async answeredAt({ tokenHash, ...place }, now) {
    const row = await db.prisma.walletChallenge.findFirst({
      where: {
        ...place,
        tokenHash: tokenHash === null ? null : Uint8Array.from(tokenHash),
        signature: { not: null },
        expiresAt: { gt: now },
      },
      orderBy: { createdAt: 'desc' },
      select: { createdAt: true },
    })
    return row?.createdAt ?? null
  },

  async removeExpired(before, limit) {
    const rows = await db.query<{ one: number }>(REMOVE, [before, limit])
    return rows.length
  },
})

const REMOVE = `
DELETE FROM wallet_challenges WHERE nonce_hash = ANY (ARRAY(
  SELECT nonce_hash FROM wallet_challenges WHERE (used_at IS NULL OR purpose = 'recover') AND expires_at < $1
  ORDER BY expires_at LIMIT $2::int))
RETURNING 1 AS one`

async function issue(tx: Tx, challenge: NewChallenge, limit: ChallengeLimit): Promise<Date | null> {
  const data = columnsOf(challenge)
  const oldest = await oldestCounted(tx, data, limit)
  if (oldest !== null) return oldest
  await tx.walletChallenge.create({ data })
  return null
}

const columnsOf = ({ terms, ...challenge }: NewChallenge) => ({
  ...challenge,
  nonceHash: Uint8Array.from(challenge.nonceHash),
  termsHash: Uint8Array.from(challenge.termsHash),
  tokenHash: challenge.tokenHash === null ? null : Uint8Array.from(challenge.tokenHash),
  terms: { ...terms },
})

/** Returns the time of the oldest challenge that the limit counts; null while there is room for another. */
async function oldestCounted(
  tx: Tx,
  { wallet, tokenHash }: { readonly wallet: string; readonly tokenHash: Uint8Array<ArrayBuffer> | null },
  { count, since }: ChallengeLimit,
): Promise<Date | null> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`challenges of ${wallet}`}, 0))`
  const recent = await tx.walletChallenge.findMany({
    where: { wallet, tokenHash, createdAt: { gt: since } },
    orderBy: { createdAt: 'desc' },
    take: count,
    select: { createdAt: true },
  })
  return recent[count - 1]?.createdAt ?? null
}

/**
 * Uses a challenge up, within the transaction of what it proves, and keeps the signature. Returns false when it was used, has
 * expired or has too many failures.
 */
export async function useChallenge(tx: Pick<Tx, 'walletChallenge'>, proof: WalletProof): Promise<boolean> {
  const data = { usedAt: proof.at, ...signed(proof) }
  const { count } = await tx.walletChallenge.updateMany({ where: answerable(proof), data })
  return count === 1
}

/** Stores a challenge as used up by a proof. Returns false when it was used up before. */
export async function storeUsed(
  tx: Pick<Tx, 'walletChallenge'>,
  challenge: NewChallenge,
  proof: WalletProof,
): Promise<boolean> {
  const data = { ...columnsOf(challenge), usedAt: proof.at, ...signed(proof) }
  return (await tx.walletChallenge.createMany({ data, skipDuplicates: true })).count === 1
}

const answerable = ({ nonceHash, at }: WalletProof) => ({
  nonceHash: Uint8Array.from(nonceHash),
  usedAt: null,
  failures: { lt: MAX_FAILURES },
  expiresAt: { gt: at },
})

const signed = ({ signature, signedMessage }: WalletProof) => ({
  signature: Uint8Array.from(signature),
  signedMessage: signedMessage === null ? null : Uint8Array.from(signedMessage),
})

const challengeFromRow = (row: Prisma.WalletChallengeGetPayload<object>): StoredChallenge => {
  if (row.termsHash === null) throw new RangeError('a challenge has terms')
  return {
    purpose: readPurpose(row.purpose, 'wallet_challenges.purpose'),
    network: row.network,
    wallet: makeAddress(row.wallet),
    subjectId: row.subjectId,
    tokenHash: row.tokenHash,
    message: row.message,
    termsHash: row.termsHash,
    failures: row.failures,
    expiresAt: row.expiresAt,
    usedAt: row.usedAt,
  }
}
