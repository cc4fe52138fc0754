// The thread that creates an embedded database. PostgreSQL's initdb keeps a processor busy for seconds; the thread that
// starts the service does other work meanwhile.
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { workerData } from 'node:worker_threads'
import { openPGlite, PrivateFS } from './embedded-files.ts'

/** Files that are flushed together cost the disk hardly more than one. */
const FLUSHED_AT_ONCE = 16

await createDatabase(workerData)

// Creates the database next to its place and then moves it, so a killed start leaves no partial database. Flushes
// everything once before the move, because flushing during the creation would take seconds.
async function createDatabase(path: string): Promise<void> {
  const unfinished = `${path}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  const database = await openPGlite({ fs: new PrivateFS(unfinished) }, { durable: false })
  await database.close()
  const entries = readdirSync(unfinished, { recursive: true, withFileTypes: true }).values()
  const flushNext = async (): Promise<void> => {
    for (const entry of entries) if (entry.isFile()) await flushFile(join(entry.parentPath, entry.name))
  }
  await Promise.all(Array.from({ length: FLUSHED_AT_ONCE }, flushNext))
  renameSync(unfinished, path)
}

async function flushFile(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.datasync()
}
