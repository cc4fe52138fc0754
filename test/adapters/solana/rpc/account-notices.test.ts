import type { AddressInfo } from 'node:net'
import type { Address } from '@solana/kit'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { type AccountNoticesOptions, createAccountNotices } from '#adapters/solana/rpc/account-notices.ts'
import { startTestChain, stopTestChain, type TestChain } from '../../../support/chain.ts'
import { anAddress } from '../chain-data.ts'

const [A, B, C] = (await Promise.all([anAddress(), anAddress(), anAddress()])) as [Address, Address, Address]

/** Generous, because the machine may be busy; what is awaited comes within milliseconds. */
const soon = <T>(read: () => T) => expect.poll(read, { timeout: 8000, interval: 10 })

type Request = { id: number; method: string; params: readonly unknown[] }

/** A provider's websocket that subscribes whom it is asked to and pushes when told. Its numbers exceed a double. */
async function startFakeSocket(options: { port?: number; refuse?: readonly Address[]; autoPong?: boolean } = {}) {
  const { port = 0, refuse = [], autoPong = true } = options
  const server = new WebSocketServer({ host: '127.0.0.1', port, autoPong })
  await new Promise((resolve) => server.once('listening', resolve))
  const requests: Request[] = []
  const raw: string[] = []
  const subscriptions = new Map<string, string>()
  let pings = 0
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
      if (request.method === 'slotSubscribe') socket.send(`{"jsonrpc":"2.0","result":7,"id":${request.id}}`)
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
    touch: (account: Address) =>
      say(
        `{"jsonrpc":"2.0","method":"accountNotification","params":{"result":{"context":{"slot":5},"value":{"lamports":18446744073709551615,"data":["","base64"]}},"subscription":${subscriptions.get(account)}}}`,
      ),
    disconnect: (code: number) => {
      for (const client of server.clients) client.close(code)
    },
    close,
  }
}

function sourceOf(wsUrls: readonly string[], options: Partial<AccountNoticesOptions> = {}) {
  const source = createAccountNotices({
    wsUrls,
    clock: { now: () => new Date() },
    random: { fraction: () => 0 },
    ...options,
  })
  onTestFinished(() => source.close())
  const touched: Address[] = []
  source.onNotice((account) => touched.push(account))
  return { source, touched }
}
const subscribed = (source: ReturnType<typeof createAccountNotices>, count: number) =>
  soon(() => source.health().subscribed).toBe(count)

test('a notice of a watched account is told, once, to every listener', async () => {
  const socket = await startFakeSocket()
  const { source, touched } = sourceOf([socket.url])
  const also: Address[] = []
  source.onNotice((account) => also.push(account))
  source.watch(new Set([A, B]))
  await subscribed(source, 2)
  expect(source.health()).toEqual({ connected: true, provider: 1, watched: 2, subscribed: 2, reconnects: 0 })
  socket.touch(B)
  await soon(() => touched).toEqual([B])
  expect(also).toEqual([B])
  expect(socket.requests[0]?.params).toEqual([A, { commitment: 'confirmed', encoding: 'base64' }])
})

test('watching another set subscribes to what is new, unsubscribes from what is gone, and leaves the rest', async () => {
  const socket = await startFakeSocket()
  const { source, touched } = sourceOf([socket.url])
  source.watch(new Set([A, B]))
  await subscribed(source, 2)
  const subscription = socket.subscriptions.get(A)
  source.watch(new Set([B, C]))
  await soon(() => socket.requests.length).toBe(4)
  expect(socket.asked('accountSubscribe')).toEqual([A, B, C])
  // To the last digit, though no double holds the number.
  expect(socket.raw[2]).toContain(`"params":[${subscription}]`)
  socket.touch(A)
  socket.touch(B)
  await soon(() => touched).toEqual([B])
})

test('how far the chain is final is told with every slot, for as long as anybody follows it, on every connection', async () => {
  const [first, second] = [await startFakeSocket(), await startFakeSocket()]
  const { source, touched } = sourceOf([first.url, second.url])
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
  expect(touched).toEqual([])
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

test('no more accounts are listened to than allowed, and those that come first are', async () => {
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
    const { source, touched } = sourceOf([first.url, second.url])
    source.watch(new Set([A, B]))
    await subscribed(source, 2)
    first.disconnect(code)
    await soon(() => source.health()).toMatchObject({ provider: 2, subscribed: 2, reconnects: 1 })
    second.touch(A)
    await soon(() => touched).toEqual([A])
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

test('a connection that has gone silent is given up, though nothing ever closed it', async () => {
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

test('what a provider refuses to push is left to polling, and the others are pushed', async () => {
  const socket = await startFakeSocket({ refuse: [A] })
  const { source, touched } = sourceOf([socket.url])
  source.watch(new Set([A, B]))
  await subscribed(source, 1)
  socket.touch(B)
  await soon(() => touched).toEqual([B])
  expect(source.health()).toMatchObject({ watched: 2, subscribed: 1, connected: true })
})

test('nonsense from a provider and a listener that throws harm nobody', async () => {
  const socket = await startFakeSocket()
  const { source } = sourceOf([socket.url])
  source.onNotice(() => {
    throw new Error('the listener’s own trouble')
  })
  const after: Address[] = []
  source.onNotice((account) => after.push(account))
  source.watch(new Set([A]))
  await subscribed(source, 1)
  for (const nonsense of ['', 'null', '[]', '{', '{"method":"accountNotification"}', '{"id":"x","result":{}}', '7'])
    socket.say(nonsense)
  socket.say(Buffer.from([0xff, 0x00, 0x80]))
  socket.say('{"jsonrpc":"2.0","method":"accountNotification","params":{"subscription":1}}')
  socket.touch(A)
  await soon(() => after).toEqual([A])
})

test('closing ends the connection for good, and closing without one is no trouble', async () => {
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
  const build = () => createAccountNotices({ wsUrls, clock: { now: () => new Date() }, random: { fraction: () => 0 } })
  expect(build).toThrow(message)
  expect(build).not.toThrow('secret')
})

let tools: TestChain
beforeAll(async () => {
  tools = await startTestChain()
})
afterAll(() => stopTestChain(tools))

test('a payment on a real chain touches the wallet and the token account that it goes to', async () => {
  const { source, touched } = sourceOf([tools.wsUrl])
  const mint = await tools.createMint()
  const payer = await tools.wallet()
  await tools.fundToken(mint, payer.address, 5n)
  const wallet = await anAddress()
  const tokenAccount = await tools.fundToken(mint, wallet, 1n)
  source.watch(new Set([wallet, tokenAccount]))
  await subscribed(source, 2)
  await tools.paySol(payer, wallet, 1_000_000n)
  await soon(() => touched).toContain(wallet)
  await tools.payToken(payer, wallet, mint, 5n)
  await soon(() => touched).toContain(tokenAccount)
})
