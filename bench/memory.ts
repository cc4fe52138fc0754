// What the program of `npm start` keeps of the memory after a thousand payments: each role of a production on PostgreSQL, and the
// sandbox with its embedded database and chain.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadDemoWallet } from '#sandbox/chain/demo-chain.ts'
import { payFromWallet } from '#sandbox/chain/payment.ts'
import { readDemoFacts } from '#sandbox/demo-facts.ts'
import { freePort } from '../test/support/free-port.ts'
import { startDurablePostgres } from './harness/postgres.ts'
import { type ServerProcess, startServerProcess } from './harness/server-process.ts'
import { until } from './harness/until.ts'
import { nodeOptions, ROOT } from './harness/workplace.ts'
import type { BenchResult } from './result.ts'
import { openChain, openPayment, openShop, type Place, shopClient } from './watching/place.ts'

const PAYMENTS = 1_000
const AT_ONCE = 24
/** The buyer of an embedded chain has 100 SOL for all of them. */
const CENTS = 150
type Cleanup = AsyncDisposableStack

export async function benchMemory(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  await startOnce()
  const [api = 0, worker = 0] = await inProduction(['api', 'worker'], progress)
  const [all = 0] = await inProduction(['all'], progress)
  const [service = 0, chain = 0] = await inSandbox(progress)
  return [
    resultOf('ROLE=api', api, 250, 'next to the worker of the next row'),
    resultOf('ROLE=worker', worker, 250, 'with OPERATOR_PORT'),
    resultOf('every role in one process', all, 250, 'on PostgreSQL, as both before'),
    resultOf('the sandbox', service + chain, 450, `the service ${Math.round(service)}, its chain ${Math.round(chain)}`),
  ]
}

/** Node keeps what it compiles at the first start of a program. That start alone needs the compiler in memory. */
async function startOnce(): Promise<void> {
  await using cleanup = new AsyncDisposableStack()
  const directory = openDirectory(cleanup)
  await start(cleanup, directory, { DATA_DIR: join(directory, 'data') })
}

/** Returns the memory of a process for each role, all of them on one PostgreSQL. */
async function inProduction(roles: readonly string[], progress: (line: string) => void): Promise<readonly number[]> {
  await using cleanup = new AsyncDisposableStack()
  const directory = openDirectory(cleanup)
  const postgres = await startDurablePostgres(directory)
  cleanup.defer(() => postgres.stop())
  const { rpcUrl, buyer, token, settings } = await openChain(cleanup)
  const env = { ...settings, DATABASE_URL: await postgres.createDatabase('memory') }
  const servers: ServerProcess[] = []
  // One after the other: the first one migrates.
  for (const role of roles) servers.push(await start(cleanup, directory, { ...env, ROLE: role }))
  const { asShop } = await openShop(`http://127.0.0.1:${servers[0]?.port}`, token.mint)
  progress(`${PAYMENTS} payments with ROLE=${roles.join(' and ROLE=')}`)
  await payAll(asShop, rpcUrl, buyer)
  return servers.map(({ pid }) => residentMb(pid))
}

/** Returns the memory of the service, and of its chain. */
async function inSandbox(progress: (line: string) => void): Promise<readonly number[]> {
  await using cleanup = new AsyncDisposableStack()
  const directory = openDirectory(cleanup)
  const dataDir = join(directory, 'data')
  const { pid } = await start(cleanup, directory, { DATA_DIR: dataDir })
  const facts = await readDemoFacts(dataDir)
  if (facts === null) throw new Error('the sandbox has no demo business')
  const buyer = await loadDemoWallet(dataDir)
  progress(`${PAYMENTS} payments in the sandbox`)
  await payAll(shopClient(facts.base_url, facts.api_key), facts.rpc_url, buyer)
  return [pid, Number(readFileSync(join(dataDir, 'chain/pid'), 'utf8'))].map(residentMb)
}

function openDirectory(cleanup: Cleanup): string {
  const directory = mkdtempSync(join(tmpdir(), 'payments-memory-'))
  cleanup.defer(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

async function start(cleanup: Cleanup, directory: string, env: Record<string, string>): Promise<ServerProcess> {
  const { ROLE = 'sandbox' } = env
  const port = await freePort()
  const server = await startServerProcess({
    name: ROLE,
    program: join(ROOT, 'src/main.ts'),
    nodeArguments: nodeOptions(),
    port,
    directory,
    // A worker listens at this port alone.
    env: { ...env, ...(ROLE === 'worker' && { OPERATOR_PORT: String(port) }) },
  })
  cleanup.defer(() => server.stop())
  return server
}

/** Ends ten seconds after the last payment is swept. */
async function payAll(asShop: Place['asShop'], rpcUrl: string, buyer: Place['buyer']): Promise<void> {
  let opened = 0
  const payInTurn = async (): Promise<void> => {
    while (opened < PAYMENTS) {
      opened += 1
      const { index, address: to, amount } = await openPayment({ asShop }, null, CENTS)
      await payFromWallet(rpcUrl, buyer, { to, amount, token: null })
      await until(async () => (await asShop('GET', `/status?index=${index}`)).status === 'swept', 1_000)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, payInTurn))
  await sleep(10_000)
}

function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1_024
}

const resultOf = (name: string, ours: number, atMost: number, detail: string): BenchResult => {
  const rest = { baseline: null, unit: 'MB', ratio: ours, target: { atMost } }
  return { name: `memory after ${PAYMENTS} payments: ${name}`, ours, ...rest, detail }
}
