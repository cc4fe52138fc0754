// What the measurements over HTTP share: a PostgreSQL, a client, and servers that come and go with the measurement.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../../test/support/free-port.ts'
import { type LoadGenerator, startLoadGenerator } from './load.ts'
import { type BenchPostgres, startDurablePostgres } from './postgres.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

export type Workplace = {
  readonly directory: string
  readonly postgres: BenchPostgres
  readonly load: LoadGenerator
  /** `program` from the repository's root. */
  startServer(name: string, program: string, env: Readonly<Record<string, string>>): Promise<ServerProcess>
  close(): Promise<void>
}

export const ROOT = resolve(import.meta.dirname, '../..')

/** The options of Node in `npm start`. Every server of a measurement gets them, the baselines too. */
export function nodeOptions(): readonly string[] {
  const manifest: { scripts: { start: string } } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  return manifest.scripts.start.split(' ').filter((word) => word.startsWith('--'))
}

export async function openWorkplace(): Promise<Workplace> {
  await using cleanup = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  cleanup.defer(() => rmSync(directory, { recursive: true, force: true }))
  const postgres = await startDurablePostgres(directory)
  cleanup.defer(() => postgres.stop())
  const load = startLoadGenerator()
  cleanup.defer(() => load.stop())
  const kept = cleanup.move()
  return {
    directory,
    postgres,
    load,
    async startServer(name, program, env) {
      const port = await freePort()
      const server = await startServerProcess({
        name,
        program: join(ROOT, program),
        nodeArguments: nodeOptions(),
        port,
        directory,
        env,
      })
      kept.defer(() => server.stop())
      return server
    },
    close: () => kept.disposeAsync(),
  }
}
