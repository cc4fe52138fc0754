// The identity of the chain and its progress, over all lives of its process.
import { z } from 'zod'
import { atomically, type Database } from './database.ts'
import type { Era } from './eras.ts'

export type Identity = {
  readonly genesisHash: string
  /** 32 bytes: the private key of the account that airdrops come from. */
  readonly faucetKey: Uint8Array
}

export type Marks = {
  /** The next life begins above this slot: every slot up to here may have been used without a record. */
  readonly reservedSlot: number
  /** The newest slot known to have been reached. */
  readonly seenSlot: number
  /** How far the chain's clock was moved ahead of the world's, in milliseconds. */
  readonly aheadMs: number
}

export type LifeStore = ReturnType<typeof createLifeStore>

const eraRow = z.object({
  firstSlot: z.number(),
  firstHeight: z.number(),
  firstTimeMs: z.number(),
  slotTimeMs: z.number(),
  lastSlot: z.number().nullable(),
})
const marksRow = z.object({ reservedSlot: z.number(), seenSlot: z.number(), aheadMs: z.number() })
const identityRow = z.object({ genesisHash: z.string(), faucetKey: z.instanceof(Uint8Array) })

export function createLifeStore(database: Database) {
  const readIdentity = database.prepare('SELECT genesis_hash AS genesisHash, faucet_key AS faucetKey FROM identity')
  const putIdentity = database.prepare('INSERT INTO identity VALUES (?, ?)')
  const readMarks = database.prepare(
    'SELECT claimed_slot AS reservedSlot, seen_slot AS seenSlot, ahead_ms AS aheadMs FROM marks',
  )
  const putMarks = database.prepare('INSERT OR REPLACE INTO marks VALUES (1, ?, ?, ?)')
  const readEras = database.prepare(
    `SELECT first_slot AS firstSlot, first_height AS firstHeight, first_time_ms AS firstTimeMs,
            slot_time_ms AS slotTimeMs, last_slot AS lastSlot FROM eras ORDER BY first_slot`,
  )
  const putEra = database.prepare('INSERT INTO eras VALUES (?, ?, ?, ?, NULL)')
  const endEra = database.prepare('UPDATE eras SET last_slot = max(first_slot, ?) WHERE last_slot IS NULL')

  const saveMarks = ({ reservedSlot, seenSlot, aheadMs }: Marks): void => {
    putMarks.run(reservedSlot, seenSlot, aheadMs)
  }
  return {
    /** Null before the first start. */
    identity: (): Identity | null => identityRow.nullable().parse(readIdentity.get() ?? null),
    putIdentity: ({ genesisHash, faucetKey }: Identity): void => void putIdentity.run(genesisHash, faucetKey),
    /** Null before the first start. */
    marks: (): Marks | null => marksRow.nullable().parse(readMarks.get() ?? null),
    saveMarks,
    /** Oldest first. */
    eras: (): readonly Era[] => z.array(eraRow).parse(readEras.all()),
    endEra: (lastSlot: number): void => void endEra.run(lastSlot),
    beginEra({ firstSlot, firstHeight, firstTimeMs, slotTimeMs }: Era, marks: Marks): void {
      atomically(database, () => {
        putEra.run(firstSlot, firstHeight, firstTimeMs, slotTimeMs)
        saveMarks(marks)
      })
    },
  }
}
