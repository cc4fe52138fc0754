// A wrong setting stops the start with one line that names it, nearly always before the database and the chain are started.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { lockDirectory } from '#adapters/prisma/engine/directory-lock.ts'
import { startService } from '#compose/service.ts'
import { parseConfig } from '#config/config.ts'
import { ConfigError } from '#config/setting.ts'
import { createLog } from '#server/log.ts'
import { copyEmbeddedTemplate, createPostgresDatabase } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'start-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

type Env = Readonly<Record<string, string>>

/** Expects a refusal with this line, after these steps only. */
async function expectRefused(settings: Env, line: RegExp, progress: readonly string[] = []): Promise<void> {
  const printed: string[] = []
  const log = createLog('info', { write: (text: string) => printed.push(text) })
  const options = { version: 'test', log, progress: (text: string) => printed.push(text) }
  const config = parseConfig({ DATA_DIR: join(directory, 'data'), PORT: String(await freePort()), ...settings })
  const started = startService(config, options).then(async (service) => await service.close())
  const error = await started.catch((refusal: unknown) => refusal)
  expect(error).toBeInstanceOf(ConfigError)
  expect(String(error).replace('ConfigError: ', '')).toMatch(line)
  expect([String(error).split('\n').length, printed]).toEqual([1, progress])
}

const listening = (server: Server): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(z.object({ port: z.number() }).parse(server.address()).port)),
  )

describe('a start is refused', () => {
  it('by a port that another process listens on', async () => {
    const other = createServer()
    const port = await listening(other)
    await expectRefused({ PORT: String(port) }, new RegExp(`^PORT: ${port} is in use by another process; stop`))
    await new Promise((resolve) => other.close(resolve))
  })

  it('by a file in DATA_DIR with an operator token that could be guessed', async () => {
    const own = join(directory, 'short-token')
    mkdirSync(own)
    writeFileSync(join(own, 'operator-token'), `${'x'.repeat(31)}\n`, { mode: 0o600 })
    const line = /^DATA_DIR: the file .*operator-token holds no operator token; write 32 or more visible characters/
    await expectRefused({ DATA_DIR: own }, line)
  })

  it('by a port for the operator’s API that another process listens on', async () => {
    const other = createServer()
    const port = await listening(other)
    await expectRefused(
      { OPERATOR_PORT: String(port) },
      new RegExp(`^OPERATOR_PORT: ${port} is in use by another process; stop`),
    )
    await new Promise((resolve) => other.close(resolve))
  })

  it.each(['nosuchhost.invalid', '999.1.1.1'])('by a host that is unknown: %s', async (HOST) => {
    await expectRefused({ HOST }, new RegExp(`^HOST: ${HOST} is not known \\(E[A-Z_]+\\); write the address`))
  })

  it('by an address of another machine', async () => {
    await expectRefused(
      { HOST: '8.8.8.8' },
      /^HOST: 8\.8\.8\.8 is no address of this machine; write the address to listen on/,
    )
  })

  it('by a seed file that is not there, or holds no seed', async () => {
    const file = join(directory, 'seed')
    const write = '; write the path of a file that contains a BIP-39 mnemonic$'
    await expectRefused({ MASTER_SEED_FILE: file }, new RegExp(`^MASTER_SEED_FILE: there is no file ${file}${write}`))
    writeFileSync(file, 'hush hush\n', { mode: 0o600 })
    const complaint = `the file ${file} holds no seed: the master seed must be .+, and this one has 2`
    await expectRefused({ MASTER_SEED_FILE: file }, new RegExp(`^MASTER_SEED_FILE: ${complaint}${write}`))
  })

  it('by a made seed that was spoilt', async () => {
    const DATA_DIR = join(directory, 'spoilt')
    mkdirSync(DATA_DIR)
    writeFileSync(join(DATA_DIR, 'master-seed'), 'hush\n', { mode: 0o600 })
    await expectRefused({ DATA_DIR }, /^DATA_DIR: the file .+master-seed holds no seed: .+; put that right/)
  })

  it('by a data directory that is a file', async () => {
    const DATA_DIR = join(directory, 'file')
    writeFileSync(DATA_DIR, '')
    const line = `${DATA_DIR} is a file, not a directory; write a directory that this process may write to`
    await expectRefused({ DATA_DIR }, new RegExp(`^DATA_DIR: ${line}$`))
    await expectRefused({ DATA_DIR: join(DATA_DIR, 'below') }, new RegExp(`^DATA_DIR: ${line}$`))
  })

  it.skipIf(process.platform !== 'linux')('by a data directory that cannot be made or written to', async () => {
    await expectRefused(
      { DATA_DIR: '/proc/nope' },
      /^DATA_DIR: the directory \/proc\/nope cannot be made \(ENOENT\); write/,
    )
    await expectRefused({ DATA_DIR: '/proc' }, /^DATA_DIR: the directory \/proc cannot be written to \(ENOENT\); write/)
  })

  it('by a data directory that another process lives in, or whose lock is none', async () => {
    const opening = ['opening the embedded database']
    const DATA_DIR = join(directory, 'shared')
    mkdirSync(DATA_DIR)
    const unlock = lockDirectory(join(DATA_DIR, 'database'))
    await expectRefused({ DATA_DIR }, /^DATA_DIR: .+shared\/database is in use by another process; stop that/, opening)
    unlock()
    writeFileSync(join(DATA_DIR, 'database.lock'), 'something else altogether')
    await expectRefused(
      { DATA_DIR },
      /^DATA_DIR: the file .+database\.lock cannot be locked \(.+\); correct this/,
      opening,
    )
  })

  it('by a database that cannot be reached, without its password', async () => {
    const connecting = ['connecting to PostgreSQL']
    const at = (host: string) => ({ DATABASE_URL: `postgres://shop:hush@${host}/payments` })
    const form = 'write postgres://user:password@host:5432/database$'
    const none = new RegExp(`^DATABASE_URL: no database listens there \\(ECONNREFUSED\\); ${form}`)
    await expectRefused(at(`127.0.0.1:${await freePort()}`), none, connecting)
    const unknown = new RegExp(`^DATABASE_URL: its host is not known \\(E[A-Z_]+\\); ${form}`)
    await expectRefused(at('nosuchhost.invalid'), unknown, connecting)
  })

  it('by a server that does not have the database, or refuses what the address asks', async () => {
    const { url, drop } = await createPostgresDatabase()
    const connecting = ['connecting to PostgreSQL']
    await expectRefused(
      { DATABASE_URL: new URL('/nowhere', url).href },
      /^DATABASE_URL: the database does not open: database "nowhere" does not exist; write postgres:/,
      connecting,
    )
    await expectRefused(
      { DATABASE_URL: `${url}?options=-c%20geqo%3Dmaybe` },
      /^DATABASE_URL: the database does not open: .*"geqo".*; correct this, and start the service again$/,
      connecting,
    )
    await drop()
  })

  it('by a database that says nothing, after three seconds', async () => {
    const silent = createServer(() => {})
    const port = await listening(silent)
    const before = performance.now()
    const DATABASE_URL = `postgres://shop:hush@127.0.0.1:${port}/payments`
    await expectRefused({ DATABASE_URL }, /^DATABASE_URL: the database does not open: .*timeout.*; write/, [
      'connecting to PostgreSQL',
    ])
    expect(performance.now() - before).toBeLessThan(6_000)
    silent.close()
  })

  it('by a chain that cannot be reached, or is none', async () => {
    const opening = ['opening the embedded database']
    const DATA_DIR = join(directory, 'remote')
    await copyEmbeddedTemplate(join(DATA_DIR, 'database'))
    const MASTER_SEED = `${'abandon '.repeat(11)}about`
    const free = await freePort()
    const remote = { DATA_DIR, MASTER_SEED, SOLANA_RPC_URL: `http://127.0.0.1:${free}/?key=hush` }
    const line = /^SOLANA_RPC_URL: no provider answers as a Solana node does \(1: no answer\); write an address like/
    await expectRefused(remote, line, opening)
    const stranger = createHttpServer((_request, response) => response.writeHead(404).end())
    const port = await listening(stranger)
    const both = `http://127.0.0.1:${free},http://127.0.0.1:${port}`
    const lines =
      /^SOLANA_RPC_URL: no provider answers as a Solana node does \(1: no answer, 2: http_error 404\); write/
    await expectRefused({ ...remote, SOLANA_RPC_URL: both }, lines, opening)
    stranger.close()
  })
})
