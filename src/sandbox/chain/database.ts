// The file in which the chain survives its process: SQLite, locked by one process at a time.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS identity (genesis_hash TEXT NOT NULL, faucet_key BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS marks (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    claimed_slot INTEGER NOT NULL, seen_slot INTEGER NOT NULL, ahead_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS eras (
    first_slot INTEGER PRIMARY KEY, first_height INTEGER NOT NULL, first_time_ms INTEGER NOT NULL,
    slot_time_ms INTEGER NOT NULL, last_slot INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS accounts (
    address TEXT PRIMARY KEY, lamports TEXT NOT NULL, owner TEXT NOT NULL, data BLOB NOT NULL,
    executable INTEGER NOT NULL, rent_epoch TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS transactions (
    position INTEGER PRIMARY KEY, signature TEXT NOT NULL UNIQUE, slot INTEGER NOT NULL, error TEXT NOT NULL,
    wire BLOB NOT NULL, json TEXT NOT NULL, json_parsed TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS transactions_by_slot ON transactions (slot);
  CREATE TABLE IF NOT EXISTS touches (
    address TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (address, position)
  ) STRICT, WITHOUT ROWID;
`
const SQLITE_BUSY = 5

export type Database = DatabaseSync

/** Opens or makes the file in `dir`. Returns null while another process has locked it. */
export function openDatabase(dir: string): Database | null {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const file = join(dir, 'chain.db')
  // SQLite gives its other files the mode of this one.
  closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file)
  try {
    // The lock is the operating system's, so it ends with the process that holds it, however that dies. FULL makes each
    // commit wait for the disk: every answer to a client survives a power failure as well.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;')
    database.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT;`)
    return database
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return null
    throw error
  }
}

/** Runs `work` in one transaction, which is undone when it throws. */
export function atomically(database: Database, work: () => void): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    work()
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}
