// The program that `npm start` runs, in its own process with its default limits, and its users: a shop, an attacking
// tenant, and buyers of the shop.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKeyPairSigner } from '@solana/kit'
import { WebSocket } from 'ws'
import { runOperator } from '#operator/program.ts'
import { freePort } from '../support/free-port.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { INHERITED } from '../support/spawned-program.ts'
import type { Target } from './attack.ts'

// Runs a full garbage collection in another process over its inspector, which must listen already.

/** Resolves when V8 has freed unreachable objects, and returned memory to the system as far as it can. */
async function collectGarbage(inspectorUrl: string): Promise<void> {
  const socket = new WebSocket(inspectorUrl)
  await once(socket, 'open')
  const answered = once(socket, 'message')
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }))
  await answered
  socket.close()
  await once(socket, 'close')
}

const START_LIMIT_MS = 120_000
/** The delay of the shop's webhook receiver, which is a little slow like many receivers. */
const RECEIVER_MS = 50
const BUYERS = 8
/** V8 unmaps freed memory in the background. */
const RELEASED_WITHIN_MS = 1_000

/** The resources of clients that the service holds open. */
export type Left = {
  readonly streams: number
  readonly websockets: number
  /** Connections of an attacker's address, as the system counts them. */
  readonly sockets: number
}

export type AttackedService = {
  readonly url: string
  readonly shopKey: string
  readonly receiver: Receiver
  readonly target: Omit<Target, 'from'>
  /** Resident memory of the service's process, in bytes. The embedded chain has its own process. */
  memory(): number
  /** The resident memory after a full garbage collection. */
  memoryKept(): Promise<number>
  /** Makes payments of the shop, ten at once, until V8 has grown its heap to the usual size. */
  work(payments: number): Promise<void>
  left(from: string): Promise<Left>
  stop(): Promise<void>
}

/** The database of the service: in its own process, as `npm start` runs it, or a PostgreSQL. */
export type Engine = 'embedded' | 'postgresql'

/** `tenantPayments`: how many payments the attacking tenant has made. */
export async function startAttackedService(tenantPayments: number, engine: Engine): Promise<AttackedService> {
  await using cleanup = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'abuse-'))
  const removeNow = (): void => rmSync(directory, { recursive: true, force: true })
  process.once('exit', removeNow)
  cleanup.defer(async () => {
    process.off('exit', removeNow)
    await rm(directory, { recursive: true, force: true })
  })
  const database: Settings = engine === 'embedded' ? {} : { DATABASE_URL: await startPostgres(cleanup) }
  const { child, port, inspectorUrl } = await startProcess({ ...database, DATA_DIR: directory }, cleanup)
  const receiver = await startReceiver((response) => setTimeout(() => response.writeHead(204).end(), RECEIVER_MS))
  cleanup.defer(() => receiver.close())

  const url = `http://127.0.0.1:${port}`
  const token = (await readFile(join(directory, 'operator-token'), 'utf8')).trim()
  const operator = operatorOf(url, token)
  const shopKey = await openAccount(operator, 'Shop', receiver.url)
  const apiKey = await openAccount(operator, 'Tenant')
  const secrets = await Promise.all(Array.from({ length: BUYERS }, () => createPayment(url, shopKey)))
  const own = await createPayments(url, apiKey, tenantPayments)
  const running = cleanup.move()
  const pid = child.pid ?? 0
  return {
    url,
    shopKey,
    receiver,
    target: {
      host: '127.0.0.1',
      port,
      apiKey,
      indexes: own.map(({ index }) => index),
      clientSecrets: secrets.map(({ clientSecret }) => clientSecret),
    },
    memory: () => residentBytes(pid),
    async memoryKept() {
      await collectGarbage(inspectorUrl)
      await sleep(RELEASED_WITHIN_MS)
      return residentBytes(pid)
    },
    work: async (payments) => void (await createPayments(url, shopKey, payments)),
    left: (from) => readLeft(url, token, socketsOf(port, from)),
    stop: () => running.disposeAsync(),
  }
}

/** Returns the URL of an empty database. */
async function startPostgres(cleanup: AsyncDisposableStack): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'abuse-postgres-'))
  await chmod(directory, OPEN_TO_ALL)
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  const server = await startPostgresServer(join(directory, 'server'))
  cleanup.defer(() => server.stop())
  return `${server.url}/postgres`
}

/** The server runs as another user. */
const OPEN_TO_ALL = 0o755

type Settings = Readonly<Record<string, string>>

type Started = { readonly child: ChildProcess; readonly port: number; readonly inspectorUrl: string }

/** Another process may take a free port before the service listens on it. */
const PORTS_TRIED = 5

async function startProcess(settings: Settings, cleanup: AsyncDisposableStack): Promise<Started> {
  for (let tried = 1; ; tried += 1) {
    const port = await freePort()
    const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', ...PROGRAM], {
      env: { ...INHERITED, ...settings, PORT: String(port), LOG_LEVEL: 'fatal' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const stopNow = (): void => void child.kill('SIGKILL')
    process.once('exit', stopNow)
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    const stop = async (): Promise<void> => {
      process.off('exit', stopNow)
      child.kill('SIGTERM')
      await exited
    }
    const output = await listening(child)
    const [, inspectorUrl] = /Debugger listening on (\S+)/.exec(output) ?? []
    if (output.includes(LISTENS) && inspectorUrl !== undefined) {
      cleanup.defer(stop)
      return { child, port, inspectorUrl }
    }
    await stop()
    if (tried === PORTS_TRIED || !output.includes('is in use')) throw new Error(`the service did not start:\n${output}`)
  }
}

/** As `npm start` runs it. */
const FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=8', '--heap-growing-percent=40']
const PROGRAM = [...FLAGS, 'src/main.ts']
const LISTENS = 'listens at'

/** Returns the output of the process when it listens, has ended, or is not ready in time. */
async function listening(child: ChildProcess): Promise<string> {
  let output = ''
  const hear = (part: Buffer): void => {
    output += part.toString()
  }
  child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  const deadline = performance.now() + START_LIMIT_MS
  while (!output.includes(LISTENS) && child.exitCode === null && performance.now() < deadline) await sleep(25)
  return output
}

type Operator = (...args: readonly string[]) => Promise<string>

const operatorOf =
  (url: string, token: string): Operator =>
  async (...args) => {
    const lines: string[] = []
    const errors: string[] = []
    const terminal = { out: (line: string) => void lines.push(line), err: (line: string) => void errors.push(line) }
    if ((await runOperator(['--url', url, '--token', token, '--json', ...args], {}, terminal)) !== 0) {
      throw new Error(errors.join('\n'))
    }
    return lines.join('\n')
  }

async function openAccount(operator: Operator, name: string, webhookUrl?: string): Promise<string> {
  const { address } = await generateKeyPairSigner()
  const hook = webhookUrl === undefined ? [] : ['--webhook-url', webhookUrl]
  const account = ['account', 'create', '--name', name, '--mode', 'live', '--sweep-destination', address]
  return JSON.parse(await operator(...account, ...hook)).api_key
}

export type Payment = { readonly id: string; readonly index: number; readonly clientSecret: string }

export async function createPayment(url: string, apiKey: string): Promise<Payment> {
  const response = await fetch(`${url}/intents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ amount_usd_cents: 1_500, accepted_tokens: [{ kind: 'sol' }] }),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`POST /intents answered ${response.status}: ${text}`)
  const { id, derivation_index, client_secret } = JSON.parse(text)
  return { id, index: derivation_index, clientSecret: client_secret }
}

/** A key is limited to a hundred requests a second, and the shop's client uses it too. */
const BETWEEN_TENS_MS = 200

async function createPayments(url: string, apiKey: string, count: number): Promise<readonly Payment[]> {
  const made: Payment[] = []
  while (made.length < count) {
    const ten = Array.from({ length: 10 }, () => createPayment(url, apiKey))
    made.push(...(await Promise.all(ten)))
    await sleep(BETWEEN_TENS_MS)
  }
  return made
}

/** Linux only: other systems have no such file. Returns 0 for a process that has ended. */
function residentBytes(pid: number): number {
  const status = existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : ''
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+) kB/.exec(status) ?? []
  return Number(kilobytes) * 1_024
}

/**
 * Returns the number of connections that the service holds to an address, whether or not the other side has closed
 * them.
 */
function socketsOf(port: number, address: string): number {
  const hex = (number: number, digits: number) => number.toString(16).toUpperCase().padStart(digits, '0')
  const peer = address
    .split('.')
    .map(Number)
    .reverse()
    .map((byte) => hex(byte, 2))
    .join('')
  const local = `0100007F:${hex(port, 4)}`
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, here, there, state]) => here === local && there?.startsWith(peer) && HELD.includes(state ?? '')).length
}

/** TCP states: established, and closed by the other side only. */
const HELD = ['01', '08']

async function readLeft(url: string, token: string, sockets: number): Promise<Left> {
  const response = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
    signal: AbortSignal.timeout(10_000),
  })
  const lines = (await response.text()).split('\n')
  const read = (series: string): number =>
    Number(lines.find((line) => line.startsWith(`${series} `))?.slice(series.length + 1) ?? 0)
  return { streams: read('live_streams_open'), websockets: read('websocket_connections'), sockets }
}
