// One transaction over the facts that were read before it.
import type { Prisma } from '#adapters/prisma/generated/client.ts'

export type Tx = Prisma.TransactionClient

/** Locks an account until the transaction ends, so that one change of its business follows another. */
export async function lockAccount(tx: Tx, id: string): Promise<void> {
  await tx.$queryRaw`SELECT id FROM accounts WHERE id = ${id}::uuid FOR NO KEY UPDATE`
}

/** Rolls the transaction back when its facts have changed. */
export class VersionConflict extends Error {}

/** Returns true when `work` is done, and false when it throws VersionConflict: its facts have changed, and nothing is written. */
export async function unlessChanged(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof VersionConflict) return false
    throw error
  }
}
