// Resources that test files share, created at the first request: a migrated template of the embedded database, and a
// PostgreSQL server. Test files run in their own processes and send requests over a socket. The resources end with this
// run.
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '#adapters/prisma/engine/database.ts'
import { embeddedDatabase } from '#adapters/prisma/engine/embedded.ts'
import { applyMigrations } from '#adapters/prisma/engine/migrate.ts'
import { buildPages } from '#pay/build.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The socket that answers GET /template and GET /postgres, and the directory for files of this run. */
    testResources: { readonly socketPath: string; readonly directory: string }
  }
}

/** The database on the shared server that the database of each suite is copied from. */
export const TEMPLATE_DATABASE = 'migrated'
const PREFIX = 'payments-test-'
/** The directories of template1 and template0. No test connects to them, and they are half of the files of a copy. */
const NOT_COPIED = ['base/1', 'base/4']
const root = resolve(import.meta.dirname, '../..')

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildPages()
  removeLeftovers()
  const directory = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
  // The PostgreSQL server may run as another user.
  chmodSync(directory, 0o711)
  let postgres: Promise<PostgresServer> | undefined
  let template: Promise<string> | undefined
  const resources: Readonly<Record<string, () => Promise<string>>> = {
    '/template': () => {
      template ??= makeTemplate()
      return template
    },
    '/postgres': async () => {
      postgres ??= startMigrated(join(directory, 'postgres'))
      return (await postgres).url
    },
  }
  const server = createServer((request, response) => {
    const make = resources[request.url ?? '']
    if (make === undefined) return response.writeHead(404).end()
    make().then(
      (answer) => response.end(answer),
      (error) => response.writeHead(500).end(String(error)),
    )
  })
  const socketPath = join(directory, 'resources.sock')
  await new Promise<void>((listening) => server.listen(socketPath, listening))
  project.provide('testResources', { socketPath, directory })

  return async () => {
    server.closeAllConnections()
    server.close()
    await postgres?.then((running) => running.stop()).catch(() => {})
    rmSync(directory, { recursive: true, force: true })
  }
}

// A killed run leaves its directory behind. Its process id shows that it is over.
function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const pid = Number(name.slice(PREFIX.length).split('-')[0])
    if (!isRunning(pid)) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function startMigrated(directory: string): Promise<PostgresServer> {
  const server = await startPostgresServer(directory)
  const admin = await openDatabase({ kind: 'postgresql', url: `${server.url}/postgres`, poolSize: 1 })
  await admin.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`)
  await admin.close()
  const template = await openDatabase({ kind: 'postgresql', url: `${server.url}/${TEMPLATE_DATABASE}`, poolSize: 1 })
  await applyMigrations(template)
  await template.close()
  return server
}

/**
 * Returns the directory of a migrated embedded database, which is kept for later runs until migrations or engine
 * change.
 */
async function makeTemplate(): Promise<string> {
  const cache = join(root, 'node_modules/.cache/test-database')
  const path = join(cache, fingerprint())
  if (existsSync(path)) return path
  rmSync(cache, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })
  const unfinished = mkdtempSync(join(cache, 'unfinished-'))
  const database = embeddedDatabase(await PGlite.create(unfinished))
  await applyMigrations(database)
  await database.close()
  for (const unused of NOT_COPIED) rmSync(join(unfinished, unused), { recursive: true })
  renameSync(unfinished, path)
  return path
}

function fingerprint(): string {
  const hash = createHash('sha256').update(NOT_COPIED.join())
  const migrations = join(root, 'prisma/migrations')
  for (const name of readdirSync(migrations, { recursive: true, encoding: 'utf8' }).sort()) {
    hash.update(name)
    if (name.endsWith('.sql')) hash.update(readFileSync(join(migrations, name)))
  }
  hash.update(readFileSync(join(root, 'node_modules/@electric-sql/pglite/package.json')))
  return hash.digest('hex').slice(0, 16)
}
