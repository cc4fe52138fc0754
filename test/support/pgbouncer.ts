// PgBouncer, the pooler of Debian's package, in front of the database of a test. `PGBOUNCER` names another program.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { giveTo, serverIdentity } from './postgres-server.ts'
import { until } from './until.ts'

/** The path of an installed PgBouncer; null where there is none. */
export const PGBOUNCER: string | null =
  [
    process.env.PGBOUNCER ?? '',
    ...[...(process.env.PATH ?? '').split(':'), '/usr/sbin'].map((directory) => join(directory, 'pgbouncer')),
  ].find((path) => path !== '' && existsSync(path)) ?? null

export const WITHOUT_PGBOUNCER =
  PGBOUNCER === null ? ' (skipped: no PgBouncer is installed; install the package pgbouncer, or set PGBOUNCER)' : ''

/** What the role needs behind a pooler in transaction mode. */
export const ROLE_LIMITS = ['statement_timeout = 10000', 'idle_in_transaction_session_timeout = 30000']

/** Sets defaults of the sessions in one database. */
export async function setInDatabase(url: string, ...settings: readonly string[]): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  for (const setting of settings) await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`)
  await client.end()
}

export type PgBouncer = {
  /** The address of the same database, through the pooler. */
  readonly url: string
  stop(): Promise<void>
}

// The process that started PgBouncer keeps the input of this script open. When that input closes for any reason, it stops.
const KEEPER = '"$@" </dev/null & read -r _; kill -KILL "$!"'

/** Starts PgBouncer in front of the database of `url`, with its default settings except for `settings`. */
export async function startPgBouncer(
  url: string,
  settings: { readonly pool_mode: 'session' | 'transaction' } & Readonly<Record<string, string | number>>,
): Promise<PgBouncer> {
  const { hostname, port, pathname, username } = new URL(url)
  const directory = mkdtempSync(join(tmpdir(), 'pgbouncer-'))
  const identity = serverIdentity()
  giveTo(identity, directory)
  const ownPort = await freePort()
  const all = { listen_addr: '127.0.0.1', listen_port: ownPort, unix_socket_dir: '', auth_type: 'any', ...settings }
  const file = join(directory, 'pgbouncer.ini')
  const database = `[databases]\n* = host=${hostname} port=${port} user=${username}\n[pgbouncer]\n`
  writeFileSync(
    file,
    database +
      Object.entries(all)
        .map(([name, value]) => `${name} = ${value}\n`)
        .join(''),
  )
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', PGBOUNCER ?? '', '--quiet', file], {
    ...identity,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  await until(() => accepts(ownPort))
  return {
    url: `postgres://${username}@127.0.0.1:${ownPort}${pathname}`,
    async stop() {
      const exited = new Promise((resolve) => keeper.once('exit', resolve))
      keeper.stdin.end()
      await exited
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.end() === socket))
    socket.once('error', () => resolve(false))
  })
