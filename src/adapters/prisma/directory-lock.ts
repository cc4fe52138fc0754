// One process for one data directory. The lock is the kernel's, held through an SQLite file: it ends with its holder
// however that ends, so nothing is ever stale, and a process id that was given out anew cannot mislead it.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Throws when another holder has the directory. Returns what lets go of it. */
export function lockDirectory(directory: string): () => void {
  mkdirSync(dirname(directory), { recursive: true })
  const lock = new DatabaseSync(`${directory}.lock`)
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    const advice = 'stop that process, or give this one another DATA_DIR'
    throw new Error(`${directory} is in use by another process: ${advice}`, { cause })
  }
  return () => lock.close()
}
