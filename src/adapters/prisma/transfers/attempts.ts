// The attempts of transfers. The order of these writes is part of the money protocol: docs/money.md, "The protocol".
import type { Database } from '#adapters/prisma/engine/database.ts'
import { Prisma } from '#adapters/prisma/generated/client.ts'
import type { AttemptRow } from '#adapters/prisma/rows.ts'
import { makeAddress, makeBlockhash, makeSignature } from '#core/chain/base58.ts'
import { keyPathFromText, keyPathToText } from '#core/chain/keys.ts'
import type { Lifetime, Network, Signature } from '#core/chain/types.ts'
import { type Attempt, type Lease, LIVE_ATTEMPT_STATES } from '#core/transfers/transfer.ts'
import type { TransferStore } from '#ports/transfers.ts'
import { leasedBy } from './lease.ts'
import { isOverBudget } from './spend.ts'

/** The states of an attempt that may still land. */
export const LIVE = [...LIVE_ATTEMPT_STATES]

type RowWithNetwork = AttemptRow & { readonly transfer: { readonly network: Network } }

export const attemptFromRow = (row: RowWithNetwork): Attempt => ({
  id: row.id,
  transferId: row.transferId,
  number: row.number,
  state: row.state,
  source: makeAddress(row.source),
  message: row.message,
  harvestWithheld: row.harvestWithheld,
  wire: row.wire,
  signature: row.signature === null ? null : makeSignature(row.signature),
  lifetime: lifetimeFromRow(row),
  knownSignature: makeSignature(row.knownSignature),
  createdAt: row.createdAt,
  sentAt: row.sentAt,
})

function lifetimeFromRow(row: RowWithNetwork): Lifetime {
  const { lastValidBlockHeight, nonceAccount, nonceSlot, nonceAuthority, nonceAuthorityKey } = row
  const value = makeBlockhash(row.blockhash)
  if (lastValidBlockHeight !== null) return { kind: 'blockhash', blockhash: value, lastValidBlockHeight }
  if (nonceAccount === null || nonceSlot === null || nonceAuthority === null || nonceAuthorityKey === null)
    throw new Error(`attempt ${row.id} has no lifetime`)
  const key = keyPathFromText(row.transfer.network, nonceAuthorityKey)
  const authority = { address: makeAddress(nonceAuthority), key }
  return { kind: 'nonce', nonce: value, account: makeAddress(nonceAccount), slot: nonceSlot, authority }
}

const lifetimeColumns = (lifetime: Lifetime) =>
  lifetime.kind === 'blockhash'
    ? { blockhash: lifetime.blockhash, lastValidBlockHeight: lifetime.lastValidBlockHeight }
    : {
        blockhash: lifetime.nonce,
        nonceAccount: lifetime.account,
        nonceSlot: lifetime.slot,
        nonceAuthority: lifetime.authority.address,
        nonceAuthorityKey: keyPathToText(lifetime.authority.key),
      }

/** Rolls an attempt back: the source is halted. */
class Halted extends Error {}

/** Rolls an attempt back: transfers of its kind have cost the fee payer as much as they may. */
class OverBudget extends Error {}

type NewAttempt = Parameters<TransferStore['prepareAttempt']>[1]

/** Implements `TransferStore.prepareAttempt`. */
export async function prepareAttempt(db: Database, lease: Lease, attempt: NewAttempt): Promise<Attempt | null> {
  try {
    return await db.prisma.$transaction((tx) => storeAttempt(tx, lease, attempt))
  } catch (error) {
    if (error instanceof Halted || error instanceof OverBudget) return null
    // The unique index on live attempts: another attempt of this transfer, of its source or of its nonce may still land.
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') return null
    throw error
  }
}

async function storeAttempt(
  tx: Prisma.TransactionClient,
  lease: Lease,
  { lifetime, spending, ...attempt }: NewAttempt,
): Promise<Attempt | null> {
  const { count } = await tx.transfer.updateMany({
    where: {
      ...leasedBy(lease),
      status: 'in_progress',
      attempts: { none: { state: { in: [...LIVE, 'final_ok'] } } },
    },
    data: { attemptCount: { increment: 1 } },
  })
  if (count !== 1) return null
  // A separate statement after the row lock: a halt locks the row first, so this statement sees its insert.
  const halt = await tx.halt.findFirst({ where: { address: attempt.source, clearedAt: null }, select: { id: true } })
  if (halt !== null) throw new Halted()
  if (spending !== undefined && (await isOverBudget(tx, spending))) throw new OverBudget()
  const row = await tx.transferAttempt.create({
    data: {
      ...attempt,
      ...lifetimeColumns(lifetime),
      message: Uint8Array.from(attempt.message),
      fence: lease.fence,
      state: 'prepared',
      spendCost: spending?.cost ?? null,
    },
    include: { transfer: { select: { network: true } } },
  })
  return attemptFromRow(row)
}

/** Implements `TransferStore.recordSigned`. */
export async function recordSigned(
  db: Database,
  lease: Lease,
  attemptId: string,
  wire: Uint8Array,
  signature: Signature,
): Promise<boolean> {
  const { count } = await db.prisma.transferAttempt.updateMany({
    where: { id: attemptId, state: 'prepared', transfer: leasedBy(lease) },
    data: { state: 'signed', wire: Uint8Array.from(wire), signature },
  })
  return count === 1
}

/** Implements `TransferStore.recordAttempt`. */
export async function recordAttempt(
  db: Database,
  lease: Lease,
  attemptId: string,
  state: Parameters<TransferStore['recordAttempt']>[2],
  { now, error }: Parameters<TransferStore['recordAttempt']>[3],
): Promise<boolean> {
  const { count } = await db.prisma.transferAttempt.updateMany({
    where: { id: attemptId, state: { in: LIVE }, transfer: leasedBy(lease) },
    data: {
      state,
      ...(state === 'sent' && { sentAt: now }),
      ...(state === 'dead' && { resolvedAt: now }),
      ...(error !== undefined && { error }),
    },
  })
  return count === 1
}
