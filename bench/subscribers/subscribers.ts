// Ten thousand live subscribers over a websocket each: what each costs in memory, how long a change takes to all of them, and what
// other requests wait meanwhile, against a `ws` server that sends the same bytes.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKeyPairSigner } from '@solana/kit'
import { freePort } from '../../test/support/free-port.ts'
import { median } from '../harness/duel.ts'
import { get, startLoadGenerator } from '../harness/load.ts'
import { startDurablePostgres } from '../harness/postgres.ts'
import { startServerProcess } from '../harness/server-process.ts'
import { nodeOptions, ROOT } from '../harness/workplace.ts'
import type { BenchResult } from '../result.ts'
import { openChain, openPayment, openShop, type Payment, type Place, shopClient } from '../watching/place.ts'
import type { Answer, Request } from './clients-process.ts'

/** As many as one business may have, and as one process may. */
const BUSINESSES = 5
const SUBSCRIBERS = 2_000
const ALL = BUSINESSES * SUBSCRIBERS
/** A buyer may change the asset fifteen times in five minutes: all rounds together stay below that. */
const ROUNDS = 5
const BUSY_ROUNDS = 4

export async function benchSubscribers(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  await using cleanup = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  cleanup.defer(() => rmSync(directory, { recursive: true, force: true }))
  const baseline = await measureRaw(directory)
  progress(`a ws server: ${describe(baseline)}`)
  const ours = await measureService(directory)
  progress(`the service: ${describe(ours)}`)
  return [
    {
      name: `memory for each of ${ALL} live subscribers`,
      ours: ours.kibEach,
      baseline: baseline.kibEach,
      unit: 'KiB',
      ratio: ours.kibEach / baseline.kibEach,
      target: { atMost: 12 },
      judged: 'ours',
      detail: 'one websocket each',
    },
    {
      name: 'from a change to the last of them, median',
      ours: ours.fanOutMs,
      baseline: baseline.fanOutMs,
      unit: 'ms',
      ratio: ours.fanOutMs / baseline.fanOutMs,
      target: { atMost: 1.5 },
      detail: `${BUSINESSES} payments of ${SUBSCRIBERS} subscribers change at once; a request makes the change`,
    },
    {
      name: 'p99 of GET /status while changes reach them, and before',
      ours: ours.busyMs,
      baseline: ours.idleMs,
      unit: 'ms',
      ratio: ours.busyMs / ours.idleMs,
      target: { atMost: 250 },
      judged: 'ours',
      detail: '4 connections, of which each asks again as soon as it is answered',
    },
  ]
}

type Measured = { readonly kibEach: number; readonly fanOutMs: number }

const describe = ({ kibEach, fanOutMs }: Measured): string =>
  `${kibEach.toFixed(1)} KiB each, ${fanOutMs.toFixed(0)} ms to all of them`

async function measureRaw(directory: string): Promise<Measured> {
  await using cleanup = new AsyncDisposableStack()
  const server = await startServerProcess({
    name: 'raw',
    program: join(ROOT, 'bench/subscribers/raw-server.ts'),
    nodeArguments: nodeOptions(),
    port: await freePort(),
    directory,
    env: {},
  })
  cleanup.defer(() => server.stop())
  const clients = startClients(cleanup)
  const url = `http://127.0.0.1:${server.port}`
  const before = residentKib(server.pid)
  const ws = { url: url.replace('http', 'ws'), protocol: 'raw', texts: ['subscribe'], count: ALL }
  await clients.ask({ open: ws })
  await sleep(2_000)
  const kibEach = (residentKib(server.pid) - before) / ALL
  // As long as an update of the service.
  const body = JSON.stringify({ type: 'next', id: '1', payload: { data: 'x'.repeat(150) } })
  const change = async (): Promise<void> => void (await fetch(url, { method: 'POST', body }))
  return { kibEach, fanOutMs: await fanOut(clients, change) }
}

async function measureService(directory: string) {
  await using cleanup = new AsyncDisposableStack()
  const postgres = await startDurablePostgres(directory)
  cleanup.defer(() => postgres.stop())
  const { token, settings } = await openChain(cleanup)
  const server = await startServerProcess({
    name: 'service',
    program: join(ROOT, 'src/main.ts'),
    nodeArguments: nodeOptions(),
    port: await freePort(),
    directory,
    env: { ...settings, DATABASE_URL: await postgres.createDatabase('subscribers'), ROLE: 'api' },
  })
  cleanup.defer(() => server.stop())
  const url = `http://127.0.0.1:${server.port}`
  const { asOperator } = await openShop(url, token.mint)
  const shops = await Promise.all(Array.from({ length: BUSINESSES }, () => openBusiness(asOperator)))
  const payments = await Promise.all(
    shops.map((apiKey) => openPayment({ asShop: shopClient(url, apiKey) }, null, 1_500, token)),
  )
  const clients = startClients(cleanup)
  const before = residentKib(server.pid)
  for (const [at, apiKey] of shops.entries()) {
    const texts = subscriptionOf(apiKey, payments[at])
    const open = {
      url: `${url.replace('http', 'ws')}/graphql`,
      protocol: 'graphql-transport-ws',
      texts,
      count: SUBSCRIBERS,
    }
    await clients.ask({ open })
  }
  await sleep(2_000)
  const kibEach = (residentKib(server.pid) - before) / ALL
  let isToken = false
  const change = async (): Promise<void> => {
    isToken = !isToken
    const mint = isToken ? token.mint : null
    await Promise.all(
      payments.map(({ clientSecret }, at) =>
        shopClient(url, shops[at] ?? '')('POST', '/intents/select-token', { client_secret: clientSecret, mint }),
      ),
    )
  }
  const fanOutMs = await fanOut(clients, change)
  const load = startLoadGenerator()
  cleanup.defer(() => load.stop())
  const requests = payments.map(({ index }, at) => get(`/status?index=${index}`, shops[at] ?? ''))
  const ask = { port: server.port, requests, connections: 4, seconds: 5 }
  const { p99: idleMs } = await load.run(ask)
  const busy = load.run(ask)
  for (let round = 0; round < BUSY_ROUNDS; round += 1) {
    await fanOutOnce(clients, change)
    await sleep(500)
  }
  return { kibEach, fanOutMs, idleMs, busyMs: (await busy).p99 }
}

async function openBusiness(asOperator: Place['asOperator']): Promise<string> {
  const create = 'mutation($input: CreateAccountInput!) { createAccount(input: $input) { apiKey } }'
  const { address } = await generateKeyPairSigner()
  const input = { name: 'Corner Shop', mode: 'live', sweepDestination: address }
  const { createAccount } = await asOperator(create, { input })
  return createAccount.apiKey
}

function subscriptionOf(apiKey: string, payment: Payment | undefined): readonly string[] {
  const query =
    'subscription ($index: Int!) { paymentIntentUpdated(index: $index) { derivationIndex status updatedAt reference } }'
  return [
    { type: 'connection_init', payload: { authorization: `Bearer ${apiKey}` } },
    { type: 'subscribe', id: '1', payload: { query, variables: { index: payment?.index } } },
  ].map((message) => JSON.stringify(message))
}

type Clients = { ask(request: Request): Promise<Answer> }

function startClients(cleanup: AsyncDisposableStack): Clients {
  const child = fork(new URL('./clients-process.ts', import.meta.url), { stdio: 'inherit', detached: true })
  cleanup.defer(() => void child.kill())
  return {
    async ask(request) {
      const answered = once(child, 'message')
      child.send(request)
      const [answer]: Answer[] = await answered
      if (answer === undefined) throw new Error('the subscribers do not answer')
      return answer
    },
  }
}

async function fanOut(clients: Clients, change: () => Promise<void>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    times.push(await fanOutOnce(clients, change))
    await sleep(300)
  }
  return median(times)
}

/** Returns the milliseconds from the request of a change to its arrival at the last subscriber. */
async function fanOutOnce(clients: Clients, change: () => Promise<void>): Promise<number> {
  const answered = clients.ask({ expect: ALL })
  const began = performance.timeOrigin + performance.now()
  await change()
  return (await answered).lastAt - began
}

function residentKib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}
