// One process for one data directory. The lock is the kernel's, held through an SQLite file: it ends with its holder
// however that ends, so nothing is ever stale, and a process id that was given out anew cannot mislead it.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

/** The directory cannot be had: why, and what whoever starts the process can do about it. */
export class DirectoryUnavailableError extends Error {
  override readonly name = 'DirectoryUnavailableError'
  readonly advice: string

  constructor(message: string, advice: string, cause: unknown) {
    super(message, { cause })
    this.advice = advice
  }
}

/** Throws DirectoryUnavailableError, as when another holder has the directory. Returns what lets go of it. */
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
    'put that right, or write another directory',
    cause,
  )

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
