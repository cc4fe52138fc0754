// One process for one data directory. The lock is a kernel lock on an SQLite file. It ends with its process in every
// case, so it is never stale, and a reused process id has no effect.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

/** The directory is not available: the reason, and a remedy for the person who starts the process. */
export class DirectoryUnavailableError extends Error {
  override readonly name = 'DirectoryUnavailableError'
  readonly advice: string

  constructor(message: string, advice: string, cause: unknown) {
    super(message, { cause })
    this.advice = advice
  }
}

/**
 * Locks the directory. Returns a function that unlocks it. Throws DirectoryUnavailableError, for example when another
 * process has the lock.
 */
export function lockDirectory(directory: string): () => void {
  mkdirSync(dirname(directory), { recursive: true, mode: 0o700 })
  let lock: DatabaseSync | undefined
  try {
    closeSync(openSync(`${directory}.lock`, 'a', 0o600))
    lock = new DatabaseSync(`${directory}.lock`)
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return () => lock?.close()
  } catch (cause) {
    lock?.close()
    throw isBusy(cause) ? inUse(directory, cause) : notLockable(directory, cause)
  }
}

const inUse = (directory: string, cause: unknown) =>
  new DirectoryUnavailableError(
    `${directory} is in use by another process`,
    'stop that process, or write another directory',
    cause,
  )

const notLockable = (directory: string, cause: unknown) =>
  new DirectoryUnavailableError(
    `the file ${directory}.lock cannot be locked (${cause instanceof Error ? cause.message : String(cause)})`,
    'correct this, or write another directory',
    cause,
  )

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
