import type { AddressInfo } from 'node:net'
import { type Address, address } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import {
  createWebsocketNotices,
  type NoticeSource,
  type WebsocketOptions,
} from '#adapters/solana/notices/notice-source.ts'
import { startTestChain, stopTestChain, type TestChain } from '../../../support/chain.ts'
import { anAddress } from '../chain-data.ts'

const [A, B, C] = (await Promise.all([anAddress(), anAddress(), anAddress()])) as [Address, Address, Address]

/** Waits long enough for a busy machine. The awaited value normally arrives within milliseconds. */
const soon = <T>(read: () => T) => expect.poll(read, { interval: 10 })

type Request = { id: number; method: string; params: readonly unknown[] }

/** The clock of the chain. Every connection subscribes to it first. */
const CLOCK = address('SysvarC1ock11111111111111111111111111111111')

type SocketOptions = {
  readonly port?: number
  readonly refuse?: readonly Address[]
  /** Confirms no subscription until `confirm` is called. */
  readonly isSlow?: boolean
  /** Gives every subscription of an account the same number, as Agave does on one connection. */
  readonly hasOneNumber?: boolean
  /** Refuses further connections. */
  readonly maxConnections?: number
}

/** Starts a provider's websocket. Its subscription numbers exceed a double. */
async function startFakeSocket(options: SocketOptions = {}) {
  const { port = 0, refuse = [], isSlow = false, hasOneNumber = false, maxConnections = 100 } = options
  const server = new WebSocketServer({ host: '127.0.0.1', port })
  await new Promise((resolve) => server.once('listening', resolve))
  const requests: Request[] = []
  const raw: string[] = []
  const subscriptions = new Map<string, { number: bigint; socket: WebSocket }>()
  const clocks = new Map<WebSocket, bigint>()
  const unconfirmed: (() => void)[] = []
  let refused = 0
  let next = 18_446_744_073_709_551_000n
  server.on('connection', (socket: WebSocket) => {
    if (server.clients.size > maxConnections) {
      refused += 1
      socket.close(1013)
      return
    }
    socket.on('message', (data) => {
      raw.push(String(data))
      const request: Request = JSON.parse(String(data))
      requests.push(request)
      const account = String(request.params[0])
      if (request.method !== 'accountSubscribe') return
      if (refuse.includes(account as Address)) {
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: request.id, error: { code: -32000, message: 'too many' } }))
        return
      }
      next += 1n
      const number = (hasOneNumber ? subscriptions.get(account)?.number : undefined) ?? next
      if (account === CLOCK) clocks.set(socket, number)
      else subscriptions.set(account, { number, socket })
      const confirm = () => socket.send(`{"jsonrpc":"2.0","result":${number},"id":${request.id}}`)
      if (isSlow && account !== CLOCK) unconfirmed.push(confirm)
      else confirm()
    })
    socket.on('close', () => clocks.delete(socket))
  })
  const notice = (number: bigint | undefined, slot: bigint) =>
    `{"jsonrpc":"2.0","method":"accountNotification","params":{"result":{"context":{"slot":${slot}},"value":{"lamports":18446744073709551615,"data":["","base64"]}},"subscription":${number}}}`
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
    asked: (method: string) =>
      requests
        .filter((request) => request.method === method)
        .map(({ params }) => params[0])
        .filter((account) => account !== CLOCK),
    subscriptions,
    connections: () => server.clients.size,
    refused: () => refused,
    say: (message: string | Buffer) => {
      for (const client of server.clients) client.send(message)
    },
    confirm: () => {
      for (const confirm of unconfirmed.splice(0)) confirm()
    },
    /** Sends a notice of the clock over every connection. */
    tick: (slot: bigint) => {
      for (const [socket, number] of clocks) socket.send(notice(number, slot))
    },
    notify: (account: Address, slot = 5n) => {
      const { number, socket } = subscriptions.get(account) ?? {}
      socket?.send(notice(number, slot))
    },
    disconnect: (code: number) => {
      for (const client of server.clients) client.close(code)
    },
    close,
  }
}

function sourceOf(wsUrls: readonly string[], options: Partial<WebsocketOptions> = {}) {
  const time = { ms: Date.now() }
  const source = createWebsocketNotices({
    wsUrls,
    clock: { now: () => new Date(time.ms) },
    random: { fraction: () => 0 },
    newestSlot: () => null,
    ...options,
  })
  onTestFinished(() => source.close())
  const noticed: Address[] = []
  source.onNotice((account) => noticed.push(account))
  return { source, noticed, time }
}

type Socket = Awaited<ReturnType<typeof startFakeSocket>>
/** Lets the clock tick until so many accounts are covered. */
const covered = (source: NoticeSource, sockets: readonly Socket[], count: number, slot = 10n) =>
  soon(() => {
    for (const socket of sockets) socket.tick(slot)
    return source.coverage().covered
  }).toBe(count)

/** Resolves when no tick is on its way: messages keep their order. */
async function allArrived(socket: Socket, noticed: readonly Address[]): Promise<void> {
  socket.notify(A, 1n)
  await soon(() => noticed).toContain(A)
}

describe('notices', () => {
  test('of a watched account reach every listener once', async () => {
    const socket = await startFakeSocket()
    const { source, noticed } = sourceOf([socket.url])
    const also: Address[] = []
    source.onNotice((account) => also.push(account))
    source.watch(new Set([A, B]))
    await covered(source, [socket], 2)
    expect(source.coverage()).toEqual({ via: 'websockets', isTicking: true, wanted: 2, covered: 2 })
    socket.notify(B)
    await soon(() => noticed).toEqual([B])
    expect(also).toEqual([B])
    const config = { commitment: 'finalized', encoding: 'base64' }
    expect(socket.requests.map(({ params }) => params)).toEqual([CLOCK, A, B].map((account) => [account, config]))
  })

  test('are subscribed to for the accounts that are new in the set, and end for accounts that have left it', async () => {
    const socket = await startFakeSocket()
    const { source, noticed } = sourceOf([socket.url])
    source.watch(new Set([A, B]))
    await covered(source, [socket], 2)
    const { number } = socket.subscriptions.get(A) ?? {}
    source.watch(new Set([B, C]))
    await soon(() => socket.asked('accountSubscribe')).toEqual([A, B, C])
    await soon(() => socket.asked('accountUnsubscribe')).toHaveLength(1)
    // The number is exact to the last digit, although no double holds it.
    expect(socket.raw.at(-2)).toContain(`"params":[${number}]`)
    socket.notify(A)
    socket.notify(B)
    await soon(() => noticed).toEqual([B])
    expect(source.coveredSince(A)).toBeNull()
  })

  test('say how far the chain is final on every connection, for as long as that is followed', async () => {
    const [first, second] = [await startFakeSocket(), await startFakeSocket()]
    const { source, noticed } = sourceOf([first.url, second.url])
    const final: bigint[] = []
    source.followFinality((slot) => final.push(slot))
    await soon(() => first.requests).toHaveLength(1)
    first.tick(18_446_744_073_709_551_001n)
    await soon(() => final).toEqual([18_446_744_073_709_551_001n])

    first.disconnect(1001)
    await soon(() => second.requests).toHaveLength(1)
    second.tick(8n)
    await soon(() => final).toHaveLength(2)

    source.followFinality(null)
    await soon(() => second.connections()).toBe(0)
    expect([final.length, noticed]).toEqual([2, []])
  })

  test('have no connection while nothing is wanted', async () => {
    const socket = await startFakeSocket()
    const { source } = sourceOf([socket.url])
    source.watch(new Set([A]))
    await covered(source, [socket], 1)
    source.watch(new Set())
    await soon(() => socket.connections()).toBe(0)
    expect(source.coverage()).toEqual({ via: 'websockets', isTicking: false, wanted: 0, covered: 0 })
    source.watch(new Set([B]))
    await covered(source, [socket], 1)
  })
})

describe('an account is covered', () => {
  test('from some slots after the first tick that follows its confirmation', async () => {
    const socket = await startFakeSocket({ isSlow: true })
    const { source } = sourceOf([socket.url])
    source.watch(new Set([A, B]))
    await soon(() => socket.asked('accountSubscribe')).toEqual([A, B])
    socket.tick(100n)
    await soon(() => source.coverage().isTicking).toBe(true)
    expect(source.coveredSince(A)).toBeNull()
    socket.confirm()
    socket.tick(101n)
    await soon(() => source.coveredSince(A)).toBe(105n)
    socket.tick(102n)
    socket.notify(B, 90n)
    await soon(() => source.coveredSince(B)).toBe(105n)
  })

  test('from the slot of its last notice: a reading at an earlier one does not show the change', async () => {
    const socket = await startFakeSocket()
    const { source } = sourceOf([socket.url])
    source.watch(new Set([A, B]))
    await covered(source, [socket], 2)
    socket.notify(A, 200n)
    await soon(() => source.coveredSince(A)).toBe(200n)
    expect(source.coveredSince(B)).toBe(14n)
  })

  test('only while the clock ticks, and after a silence from the first tick on', async () => {
    const socket = await startFakeSocket()
    const { source, noticed, time } = sourceOf([socket.url])
    source.watch(new Set([A]))
    await covered(source, [socket], 1)
    await allArrived(socket, noticed)
    time.ms += 4_999
    expect(source.coveredSince(A)).toBe(14n)
    time.ms += 1
    expect([source.coveredSince(A), source.coverage()]).toEqual([
      null,
      { via: 'websockets', isTicking: false, wanted: 1, covered: 0 },
    ])
    socket.tick(90n)
    await soon(() => source.coveredSince(A)).toBe(90n)
    time.ms -= 86_400_000
    expect(source.coveredSince(A)).toBeNull()
  })

  test('not by a clock that is further behind than what was read lately', async () => {
    const socket = await startFakeSocket()
    let newest: bigint | null = null
    const { source, time } = sourceOf([socket.url], { newestSlot: () => newest })
    source.watch(new Set([A]))
    await covered(source, [socket], 1)
    newest = 1_000n
    time.ms += 5_000
    socket.tick(974n)
    socket.tick(975n)
    await soon(() => source.coveredSince(A)).toBe(975n)
  })

  test('when it is dropped and wanted again before its answer, whose number the provider gives twice', async () => {
    const socket = await startFakeSocket({ isSlow: true, hasOneNumber: true })
    const { source, noticed } = sourceOf([socket.url])
    source.watch(new Set([A, B]))
    await soon(() => socket.asked('accountSubscribe')).toEqual([A, B])
    source.watch(new Set([B]))
    source.watch(new Set([A, B]))
    await soon(() => socket.asked('accountSubscribe')).toEqual([A, B, A])
    socket.confirm()
    await covered(source, [socket], 2)
    expect(socket.asked('accountUnsubscribe')).toEqual([])
    socket.notify(A)
    await soon(() => noticed).toEqual([A])
  })

  test('not any more when its connection is cut, until it is subscribed to again', async () => {
    const socket = await startFakeSocket()
    const { source } = sourceOf([socket.url])
    source.watch(new Set([A]))
    await covered(source, [socket], 1)
    socket.disconnect(1001)
    await soon(() => source.coveredSince(A)).toBeNull()
    await covered(source, [socket], 1, 70n)
    expect(source.coveredSince(A)).toBe(74n)
  })

  test('again from then on when it left the set and came back', async () => {
    const socket = await startFakeSocket()
    const { source } = sourceOf([socket.url])
    source.watch(new Set([A, B]))
    await covered(source, [socket], 2)
    source.watch(new Set([B]))
    source.watch(new Set([A, B]))
    expect(source.coveredSince(A)).toBeNull()
    await covered(source, [socket], 2, 50n)
    expect([source.coveredSince(A), source.coveredSince(B)]).toEqual([54n, 14n])
  })

  test('not when the provider accepts everything and sends nothing', async () => {
    const socket = await startFakeSocket()
    const { source } = sourceOf([socket.url])
    source.watch(new Set([A]))
    await soon(() => socket.asked('accountSubscribe')).toEqual([A])
    socket.notify(A)
    expect(source.coverage()).toEqual({ via: 'websockets', isTicking: false, wanted: 1, covered: 0 })
  })
})

describe('connections', () => {
  const accounts = Array.from({ length: 5 }, () => anAddress())

  test('are as many as the accounts need, each opened when the others tick', async () => {
    const socket = await startFakeSocket()
    const { source, noticed } = sourceOf([socket.url], { accountsPerConnection: 2 })
    const all = await Promise.all(accounts)
    source.watch(new Set(all))
    await soon(() => socket.asked('accountSubscribe')).toEqual(all.slice(0, 2))
    expect(socket.connections()).toBe(1)
    await covered(source, [socket], 5)
    expect(socket.connections()).toBe(3)
    for (const account of all) socket.notify(account)
    await soon(() => noticed.toSorted()).toEqual(all.toSorted())
    source.watch(new Set(all.slice(0, 1)))
    await soon(() => socket.connections()).toBe(1)
  })

  test('are no more than allowed, and the last accounts of the set are left to polling', async () => {
    const socket = await startFakeSocket()
    const { source } = sourceOf([socket.url], { accountsPerConnection: 2, maxConnections: 2 })
    const all = await Promise.all(accounts)
    expect(source.room).toBe(4)
    source.watch(new Set(all))
    await covered(source, [socket], 4)
    expect(source.coveredSince(all[4] as Address)).toBeNull()
    // What is urgent now takes the place of what is less urgent.
    source.watch(new Set(all.toReversed()))
    await covered(source, [socket], 4)
    expect(source.coveredSince(all[0] as Address)).toBeNull()
  })

  test('that a provider refuses are asked for one at a time, and do not disturb the others', async () => {
    const socket = await startFakeSocket({ maxConnections: 1 })
    const { source } = sourceOf([socket.url], { accountsPerConnection: 1 })
    const all = await Promise.all(accounts)
    source.watch(new Set(all))
    await covered(source, [socket], 1)
    await soon(() => socket.refused()).toBeGreaterThan(1)
    await covered(source, [socket], 1)
    expect(socket.connections()).toBeLessThanOrEqual(2)
  })
})

test('an account that is dropped before its subscription is confirmed is unsubscribed then', async () => {
  const socket = await startFakeSocket({ isSlow: true })
  const { source } = sourceOf([socket.url])
  source.watch(new Set([A, B]))
  await soon(() => socket.asked('accountSubscribe')).toEqual([A, B])
  source.watch(new Set([B]))
  expect(socket.asked('accountUnsubscribe')).toEqual([])
  socket.confirm()
  await soon(() => socket.asked('accountUnsubscribe')).toHaveLength(1)
  await covered(source, [socket], 1)
})

test.each([1000, 1001, 1011])(
  'a connection closed with code %i moves to the next provider with all its accounts',
  async (code) => {
    const [first, second] = [await startFakeSocket(), await startFakeSocket()]
    const { source, noticed } = sourceOf([first.url, second.url])
    source.watch(new Set([A, B]))
    await covered(source, [first], 2)
    first.disconnect(code)
    await soon(() => source.coverage().covered).toBe(0)
    await covered(source, [second], 2)
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
  const back = await startFakeSocket({ port })
  await covered(source, [back], 1)
})

test('a silent connection is ended, although no side closed it', async () => {
  const [mute, well] = [await startFakeSocket(), await startFakeSocket()]
  const { source, noticed, time } = sourceOf([mute.url, well.url], { checkEveryMs: 50 })
  source.watch(new Set([A]))
  await covered(source, [mute], 1)
  await allArrived(mute, noticed)
  time.ms += 50
  await soon(() => mute.connections()).toBe(0)
  await covered(source, [well], 1)
})

test('an account whose subscription is refused is left to polling, and the others have notices', async () => {
  const socket = await startFakeSocket({ refuse: [A] })
  const { source, noticed } = sourceOf([socket.url])
  source.watch(new Set([A, B]))
  await covered(source, [socket], 1)
  socket.notify(B)
  await soon(() => noticed).toEqual([B])
  expect(source.coveredSince(A)).toBeNull()
})

test('an account whose subscription is refused is subscribed to again later', async () => {
  const refuse = [A]
  const socket = await startFakeSocket({ refuse })
  const { source } = sourceOf([socket.url], { checkEveryMs: 500 })
  source.watch(new Set([A, B]))
  await covered(source, [socket], 1)
  refuse.length = 0
  await covered(source, [socket], 2)
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
  await covered(source, [socket], 1)
  for (const nonsense of ['', 'null', '[]', '{', '{"method":"accountNotification"}', '{"id":"x","result":{}}', '7'])
    socket.say(nonsense)
  socket.say(Buffer.from([0xff, 0x00, 0x80]))
  socket.say('{"jsonrpc":"2.0","method":"accountNotification","params":{"subscription":1}}')
  socket.notify(A)
  await soon(() => after).toEqual([A])
})

test.each(['"x"', '"007"', '-1', '1.5', '1e3', '{}'])(
  'a subscription whose number is %s counts as refused, and disturbs no other account',
  async (number) => {
    const socket = await startFakeSocket({ isSlow: true })
    const { source, noticed } = sourceOf([socket.url])
    source.watch(new Set([A]))
    await soon(() => socket.asked('accountSubscribe')).toEqual([A])
    socket.say(`{"jsonrpc":"2.0","result":${number},"id":${socket.requests.at(-1)?.id}}`)
    source.watch(new Set([A, B]))
    await soon(() => socket.asked('accountSubscribe')).toEqual([A, B])
    socket.confirm()
    await covered(source, [socket], 1)
    source.watch(new Set([B]))
    socket.notify(B)
    await soon(() => noticed).toEqual([B])
  },
)

test('closing ends the connection permanently, and closing again does no harm', async () => {
  const socket = await startFakeSocket()
  const { source } = sourceOf([socket.url])
  source.watch(new Set([A]))
  await covered(source, [socket], 1)
  await source.close()
  await source.close()
  source.watch(new Set([B]))
  await soon(() => socket.connections()).toBe(0)
  expect(source.coverage().covered).toBe(0)
})

test.each([
  [[], /no websocket URL/],
  [['ws://one.example/secret', 'http://secret.example'], /websocket URL 2 is no/],
])('a bad list of URLs is refused without repeating it: %j', (wsUrls, message) => {
  const build = () =>
    createWebsocketNotices({
      wsUrls,
      clock: { now: () => new Date() },
      random: { fraction: () => 0 },
      newestSlot: () => null,
    })
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
  await soon(() => source.coverage().covered).toBe(2)
  await tools.paySol(payer, wallet, 1_000_000n)
  await soon(() => noticed).toContain(wallet)
  await tools.payToken(payer, wallet, mint, 5n)
  await soon(() => noticed).toContain(tokenAccount)
})
