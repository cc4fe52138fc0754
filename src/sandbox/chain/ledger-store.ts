// Stores the state of every account, and every transaction as it landed. A transaction and its effects on accounts are
// stored in one commit.
import { z } from 'zod'
import { atomically, type Database } from './database.ts'

export type StoredAccount = {
  readonly lamports: bigint
  readonly owner: string
  readonly data: Uint8Array
  readonly executable: boolean
  readonly rentEpoch: bigint
}

/** What an account has become; null when it was closed. */
export type AccountChange = { readonly address: string; readonly state: StoredAccount | null }

export type LandedTransaction = {
  readonly signature: string
  readonly slot: number
  /** Its error as JSON text; success is the text `null`. */
  readonly error: string
  /** The signed bytes. */
  readonly wire: Uint8Array
  /** What getTransaction answers, as JSON text, in the two encodings that cannot be made from the wire bytes alone. */
  readonly json: string
  readonly jsonParsed: string
}

export type Touch = Pick<LandedTransaction, 'signature' | 'slot' | 'error'>

export type LedgerStore = ReturnType<typeof createLedgerStore>

const accountRow = z.object({
  address: z.string(),
  lamports: z.string().transform(BigInt),
  owner: z.string(),
  data: z.instanceof(Uint8Array),
  executable: z.number().transform((flag) => flag === 1),
  rentEpoch: z.string().transform(BigInt),
})
const storedAccount = accountRow.omit({ address: true })
const touchRow = z.object({ signature: z.string(), slot: z.number(), error: z.string() })
const landedRow = touchRow.extend({ wire: z.instanceof(Uint8Array), json: z.string(), jsonParsed: z.string() })
const positionRow = z.object({ position: z.number() })
const slotRow = z.object({ slot: z.number().nullable() })

export function createLedgerStore(database: Database) {
  const putAccount = database.prepare('INSERT OR REPLACE INTO accounts VALUES (?, ?, ?, ?, ?, ?)')
  const dropAccount = database.prepare('DELETE FROM accounts WHERE address = ?')
  const readAccounts = database.prepare('SELECT *, rent_epoch AS rentEpoch FROM accounts')
  const readAccount = database.prepare('SELECT *, rent_epoch AS rentEpoch FROM accounts WHERE address = ?')
  const putTransaction = database.prepare(
    'INSERT INTO transactions (signature, slot, error, wire, json, json_parsed) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const putTouch = database.prepare('INSERT OR IGNORE INTO touches VALUES (?, ?)')

  const keepAccount = ({ address, state }: AccountChange): void => {
    if (state === null) dropAccount.run(address)
    else {
      const { lamports, owner, data, executable, rentEpoch } = state
      putAccount.run(address, lamports.toString(), owner, data, executable ? 1 : 0, rentEpoch.toString())
    }
  }
  return {
    /** Transactions in the order of their execution, each with every account that it names. */
    keep(
      transactions: readonly (LandedTransaction & { readonly accounts: readonly string[] })[],
      changes: readonly AccountChange[],
    ): void {
      atomically(database, () => {
        for (const { signature, slot, error, wire, json, jsonParsed, accounts } of transactions) {
          const { lastInsertRowid } = putTransaction.run(signature, slot, error, wire, json, jsonParsed)
          for (const address of accounts) putTouch.run(address, lastInsertRowid)
        }
        for (const change of changes) keepAccount(change)
      })
    },
    account: (address: string): StoredAccount | null =>
      storedAccount.nullable().parse(readAccount.get(address) ?? null),
    accounts: (): readonly (StoredAccount & { readonly address: string })[] =>
      z.array(accountRow).parse(readAccounts.all()),
    ...createHistoryQueries(database),
  }
}

function createHistoryQueries(database: Database) {
  const landed = 'SELECT signature, slot, error, wire, json, json_parsed AS jsonParsed FROM transactions'
  const readLanded = database.prepare(`${landed} WHERE signature = ?`)
  const readInSlot = database.prepare(`${landed} WHERE slot = ? ORDER BY position`)
  const readTouch = database.prepare('SELECT signature, slot, error FROM transactions WHERE signature = ?')
  const readPosition = database.prepare('SELECT position FROM transactions WHERE signature = ?')
  const readLastSlot = database.prepare('SELECT max(slot) AS slot FROM transactions')
  const readTouches = database.prepare(
    `SELECT signature, slot, error FROM touches JOIN transactions USING (position)
     WHERE address = ? AND position > ? AND position < ? AND slot <= ? ORDER BY position DESC LIMIT ?`,
  )
  const positionOf = (signature: string): number => {
    const row = readPosition.get(signature)
    return row === undefined ? 0 : positionRow.parse(row).position
  }
  return {
    status: (signature: string): Touch | null => touchRow.nullable().parse(readTouch.get(signature) ?? null),
    transaction: (signature: string): LandedTransaction | null =>
      landedRow.nullable().parse(readLanded.get(signature) ?? null),
    transactionsIn: (slot: number): readonly LandedTransaction[] => z.array(landedRow).parse(readInSlot.all(slot)),
    /** The newest slot that a transaction landed in; 0 while none has. */
    lastSlot: (): number => slotRow.parse(readLastSlot.get()).slot ?? 0,
    /** Returns the newest first, strictly between two signatures, up to a slot. An unknown `before` leaves nothing. */
    touches(
      address: string,
      range: { before?: string | undefined; until?: string | undefined; maxSlot: number; limit: number },
    ): readonly Touch[] {
      const before = range.before === undefined ? Number.MAX_SAFE_INTEGER : positionOf(range.before)
      const until = range.until === undefined ? 0 : positionOf(range.until)
      return z.array(touchRow).parse(readTouches.all(address, until, before, range.maxSlot, range.limit))
    },
  }
}
