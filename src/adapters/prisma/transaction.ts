// One transaction over the facts that were read before it.
import type { Prisma } from '#adapters/prisma/generated/client.ts'

export type Tx = Prisma.TransactionClient

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
