import type { AddressInfo } from 'node:net'
import type { Address } from '@solana/kit'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { NoticeSource, type NoticeSourceOptions } from '#adapters/solana/rpc/account-notices.ts'
import { startTestChain, stopTestChain, type TestChain } from '../../../support/chain.ts'
import { anAddress } from '../chain-data.ts'

const [A, B, C] = (await Promise.all([anAddress(), anAddress(), anAddress()])) as [Address, Address, Address]

/** Waits long enough for a busy machine. The awaited value normally arrives within milliseconds. */
const soon = <T>(read: () => T) => expect.poll(read, { interval: 10 })

type Request = { id: number; method: string; params: readonly unknown[] }

/** Starts a provider's websocket. Its subscription numbers exceed a double. */
async function startFakeSocket(options: { port?: number; refuse?: readonly Address[]; autoPong?: boolean } = {}) {
  const { port = 0, refuse = [], autoPong = true } = options
  const server = new WebSocketServer({ host: '127.0.0.1', port, autoPong })
  await new Promise((resolve) => server.once('listening', resolve))
  const requests: Request[] = []
  const raw: string[] = []
  const subscriptions = new Map<string, string>()
  let pings = 0
  let slots = 6
  let next = 18_446_744_073_709_551_000n
  server.on('connection', (socket: WebSocket) => {
    subscriptions.clear()
    socket.on('ping', () => {
      pings += 1
    })
    socket.on('message', (data) => {
      raw.push(String(data))
      const request: Request = JSON.parse(String(data))
      requests.push(request)
      const account = String(request.params[0])
      if (request.method === 'slotSubscribe') {
        slots += 1
        socket.send(`{"jsonrpc":"2.0","result":${slots},"id":${request.id}}`)
      }
      if (request.method !== 'accountSubscribe') return
      if (refuse.includes(account as Address)) {
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: request.id, error: { code: -32000, message: 'too many' } }))
        return
      }
      next += 1n
      subscriptions.set(account, String(next))
      socket.send(`{"jsonrpc":"2.0","result":${next},"id":${request.id}}`)
    })
  })
  const say = (message: string | Buffer) => {
    for (const client of server.clients) client.send(message)
  }
  const close = () =>
    new Promise<void>((resolve) => {
      for (const client of server.clients) client.terminate()
      server.close(() => resolve())
    })
  onTestFinished(close)
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    raw,
    asked: (method: string) => requests.filter((request) => request.method === method).map(({ params }) => params[0]),
    subscriptions,
    connections: () => server.clients.size,
    pings: () => pings,
    say,
    notify: (account: Address) =>
      say(
        `{"jsonrpc":"2.0","method":"accountNotification","params":{"result":{"context":{"slot":5},"value":{"lamports":18446744073709551615,"data":["","base64"]}},"subscription":${subscriptions.get(account)}}}`,
      ),
    disconnect: (code: number) => {
      for (const client of server.clients) client.close(code)
    },
    close,
  }
}

function sourceOf(wsUrls: readonly string[], options: Partial<NoticeSourceOptions> = {}) {
  const source = new NoticeSource({
    wsUrls,
    clock: { now: () => new Date() },
    random: { fraction: () => 0 },
    ...options,
  })
  onTestFinished(() => source.close())
  const noticed: Address[] = []
  source.onNotice((account) => noticed.push(account))
  return { source, noticed }
}
const subscribed = (source: NoticeSource, count: number) => soon(() => source.health().subscribed).toBe(count)

test('a notice of a watched account reaches every listener once', async () => {
  const socket = await startFakeSocket()
  const { source, noticed } = sourceOf([socket.url])
  const also: Address[] = []
  source.onNotice((account) => also.push(account))
  source.watch(new Set([A, B]))
  await subscribed(source, 2)
  expect(source.health()).toEqual({ connected: true, provider: 1, watched: 2, subscribed: 2, reconnects: 0 })
  socket.notify(B)
  await soon(() => noticed).toEqual([B])
  expect(also).toEqual([B])
  expect(socket.requests[0]?.params).toEqual([A, { commitment: 'finalized', encoding: 'base64' }])
})

test('watching another set subscribes to its new accounts and unsubscribes from the accounts that left it', async () => {
  const socket = await startFakeSocket()
  const { source, noticed } = sourceOf([socket.url])
  source.watch(new Set([A, B]))
  await subscribed(source, 2)
  const subscription = socket.subscriptions.get(A)
  source.watch(new Set([B, C]))
  await soon(() => socket.requests.length).toBe(4)
  expect(socket.asked('accountSubscribe')).toEqual([A, B, C])
  // The number is exact to the last digit, although no double holds it.
  expect(socket.raw[2]).toContain(`"params":[${subscription}]`)
  socket.notify(A)
  socket.notify(B)
  await soon(() => noticed).toEqual([B])
})

test('finality notices arrive with every slot on every connection, for as long as they are followed', async () => {
  const [first, second] = [await startFakeSocket(), await startFakeSocket()]
  const { source, noticed } = sourceOf([first.url, second.url])
  const slotSaid = (root: bigint) =>
    `{"jsonrpc":"2.0","method":"slotNotification","params":{"result":{"parent":9,"root":${root},"slot":40},"subscription":7}}`
  const final: bigint[] = []
  await soon(() => source.health().connected).toBe(true)
  expect(first.requests).toEqual([])
  source.followFinality((slot) => final.push(slot))
  await soon(() => first.asked('slotSubscribe')).toHaveLength(1)
  first.say(slotSaid(18_446_744_073_709_551_001n))
  await soon(() => final).toEqual([18_446_744_073_709_551_001n])

  first.disconnect(1001)
  await soon(() => second.asked('slotSubscribe')).toHaveLength(1)
  second.say(slotSaid(8n))
  await soon(() => final).toHaveLength(2)

  source.followFinality(null)
  await soon(() => second.asked('slotUnsubscribe')).toEqual([7])
  second.say(slotSaid(9n))
  source.watch(new Set([A]))
  await subscribed(source, 1)
  expect(final).toHaveLength(2)
  expect(noticed).toEqual([])
})

test('a subscription to final slots that is dropped before it is confirmed is unsubscribed then', async () => {
  const socket = await startFakeSocket()
  const { source } = sourceOf([socket.url])
  await soon(() => source.health().connected).toBe(true)
  source.followFinality(() => {})
  source.followFinality(null)
  source.followFinality(() => {})
  await soon(() => socket.asked('slotUnsubscribe')).toEqual([7])
  expect(socket.asked('slotSubscribe')).toHaveLength(2)
  source.followFinality(null)
  await soon(() => socket.asked('slotUnsubscribe')).toEqual([7, 8])
})

test('an account that is dropped before its subscription is confirmed is unsubscribed then', async () => {
  const socket = await startFakeSocket()
  const { source } = sourceOf([socket.url])
  await soon(() => source.health().connected).toBe(true)
  source.watch(new Set([A]))
  source.watch(new Set())
  await soon(() => socket.asked('accountUnsubscribe')).toHaveLength(1)
  expect(source.health().subscribed).toBe(0)
})

test('no more accounts than allowed are subscribed to, the first of the set', async () => {
  const socket = await startFakeSocket()
  const { source } = sourceOf([socket.url], { maxAccounts: 2 })
  source.watch(new Set([A, B, C]))
  await subscribed(source, 2)
  expect(socket.asked('accountSubscribe')).toEqual([A, B])
})

test.each([1000, 1001, 1011])(
  'a connection closed with code %i moves to the next provider with all its accounts',
  async (code) => {
    const [first, second] = [await startFakeSocket(), await startFakeSocket()]
    const { source, noticed } = sourceOf([first.url, second.url])
    source.watch(new Set([A, B]))
    await subscribed(source, 2)
    first.disconnect(code)
    await soon(() => source.health()).toMatchObject({ provider: 2, subscribed: 2, reconnects: 1 })
    second.notify(A)
    await soon(() => noticed).toEqual([A])
    expect(first.connections()).toBe(0)
  },
)

test('a provider that cannot be reached is passed over, and found again when it is back', async () => {
  const gone = await startFakeSocket()
  const port = Number(new URL(gone.url).port)
  await gone.close()
  const { source } = sourceOf([gone.url])
  source.watch(new Set([A]))
  await soon(() => source.health().reconnects).toBeGreaterThan(0)
  await startFakeSocket({ port })
  await soon(() => source.health().subscribed).toBe(1)
})

test('a silent connection is ended, although no side closed it', async () => {
  const [mute, well] = [await startFakeSocket({ autoPong: false }), await startFakeSocket()]
  const { source } = sourceOf([mute.url, well.url], { heartbeatMs: 30 })
  source.watch(new Set([A]))
  await soon(() => source.health()).toMatchObject({ provider: 2, subscribed: 1 })
})

test('a connection that answers its heartbeat is kept however quiet it is', async () => {
  const socket = await startFakeSocket()
  const { source } = sourceOf([socket.url], { heartbeatMs: 250 })
  source.watch(new Set([A]))
  await subscribed(source, 1)
  await soon(() => socket.pings()).toBeGreaterThan(1)
  expect(source.health().reconnects).toBe(0)
})

test('an account whose subscription is refused is left to polling, and the others have notices', async () => {
  const socket = await startFakeSocket({ refuse: [A] })
  const { source, noticed } = sourceOf([socket.url])
  source.watch(new Set([A, B]))
  await subscribed(source, 1)
  socket.notify(B)
  await soon(() => noticed).toEqual([B])
  expect(source.health()).toMatchObject({ watched: 2, subscribed: 1, connected: true })
})

test('a malformed message and a listener that throws do not affect the other listeners', async () => {
  const socket = await startFakeSocket()
  const { source } = sourceOf([socket.url])
  source.onNotice(() => {
    throw new Error('the listener fails')
  })
  const after: Address[] = []
  source.onNotice((account) => after.push(account))
  source.watch(new Set([A]))
  await subscribed(source, 1)
  for (const nonsense of ['', 'null', '[]', '{', '{"method":"accountNotification"}', '{"id":"x","result":{}}', '7'])
    socket.say(nonsense)
  socket.say(Buffer.from([0xff, 0x00, 0x80]))
  socket.say('{"jsonrpc":"2.0","method":"accountNotification","params":{"subscription":1}}')
  socket.notify(A)
  await soon(() => after).toEqual([A])
})

test('closing ends the connection permanently, and closing again does no harm', async () => {
  const socket = await startFakeSocket()
  const { source } = sourceOf([socket.url])
  source.watch(new Set([A]))
  await subscribed(source, 1)
  await source.close()
  await source.close()
  source.watch(new Set([B]))
  await soon(() => socket.connections()).toBe(0)
  expect(source.health()).toMatchObject({ connected: false, subscribed: 0, reconnects: 0 })
})

test.each([
  [[], /no websocket URL/],
  [['ws://one.example/secret', 'http://secret.example'], /websocket URL 2 is no/],
])('a bad list of URLs is refused without repeating it: %j', (wsUrls, message) => {
  const build = () => new NoticeSource({ wsUrls, clock: { now: () => new Date() }, random: { fraction: () => 0 } })
  expect(build).toThrow(message)
  expect(build).not.toThrow('secret')
})

let tools: TestChain
beforeAll(async () => {
  tools = await startTestChain()
})
afterAll(() => stopTestChain(tools))

test('a payment on a real chain gives notices of its wallet and its token account', async () => {
  const { source, noticed } = sourceOf([tools.wsUrl])
  const mint = await tools.createMint()
  const payer = await tools.wallet()
  await tools.fundToken(mint, payer.address, 5n)
  const wallet = await anAddress()
  const tokenAccount = await tools.fundToken(mint, wallet, 1n)
  source.watch(new Set([wallet, tokenAccount]))
  await subscribed(source, 2)
  await tools.paySol(payer, wallet, 1_000_000n)
  await soon(() => noticed).toContain(wallet)
  await tools.payToken(payer, wallet, mint, 5n)
  await soon(() => noticed).toContain(tokenAccount)
})
