// Places of live streams: each is freed, whatever a client does with its operations.
import { afterEach, describe, expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { handshake, openWebSocket, type RawWebSocket } from '../../support/raw-connections.ts'
import {
  API_KEY,
  asOperator,
  CLIENT_SECRET,
  createTestFeed,
  credential,
  startTestService,
  TEST_API_KEY,
  type TestOptions,
  type TestService,
  withKey,
} from '../../support/services.ts'
import { until } from '../../support/until.ts'

const query = 'subscription Live($secret: String!) { checkoutUpdated(clientSecret: $secret) { status } }'
const follow = (id: string) => ({ type: 'subscribe', id, payload: { query, variables: { secret: CLIENT_SECRET } } })
const complete = (id: string) => ({ type: 'complete', id })

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close()
})

type Feed = ReturnType<typeof createTestFeed>

async function start(options: TestOptions = {}): Promise<{ service: TestService; feed: Feed }> {
  const feed = createTestFeed()
  const service = await startTestService({
    live: feed,
    services: { intents: { checkoutStatus: async () => pendingIntent } },
    ...options,
  })
  open.push(service)
  return { service, feed }
}

async function connect(
  service: TestService,
  headers: Record<string, string> = {},
  params?: object,
): Promise<RawWebSocket> {
  const raw = await openWebSocket(service, headers)
  open.push({ close: () => raw.socket.terminate() })
  await raw.init(params)
  return raw
}

/** An intent whose lookup finishes when the test releases it. */
function slowIntent() {
  const found: (() => void)[] = []
  const checkoutStatus = () =>
    new Promise<typeof pendingIntent>((resolve) => {
      found.push(() => resolve(pendingIntent))
    })
  return {
    services: { intents: { checkoutStatus } },
    asked: () => found.length,
    answer: () => {
      for (const resolve of found.splice(0)) resolve()
    },
  }
}

async function placesTaken(service: TestService): Promise<number> {
  const { text } = await service.get('/metrics', asOperator)
  return Number(/^live_streams_open (\d+)$/m.exec(text)?.[1])
}

describe('the places of live streams', () => {
  it('are freed by operations that share an id', async () => {
    const { service, feed } = await start()
    const raw = await connect(service)
    for (let round = 0; round < 25; round++) {
      raw.send(follow('x'))
      raw.send(complete('x'))
    }
    raw.send(follow('x'))
    await until(() => feed.followers() === 1)
    await until(async () => (await placesTaken(service)) === 1)
    raw.socket.close()
    await raw.closed
    await until(() => feed.followers() === 0)
    expect(await placesTaken(service)).toBe(0)
  })

  it('are not taken by an operation that was completed, or whose socket closed, while it was prepared', async () => {
    const slow = slowIntent()
    const { service, feed } = await start(slow)
    const raw = await connect(service)
    raw.send(follow('x'))
    await until(() => slow.asked() === 1)
    raw.send(complete('x'))
    raw.send(follow('x'))
    raw.send(follow('y'))
    await until(() => slow.asked() === 3)
    raw.socket.close()
    await raw.closed
    const witness = await connect(service)
    witness.send(follow('witness'))
    await until(() => slow.asked() === 4)
    slow.answer()
    await until(() => feed.followers() === 1)
    expect(await placesTaken(service)).toBe(1)
  })

  it('are not taken by a reader of server-sent events that left while its stream was prepared', async () => {
    const slow = slowIntent()
    const { service, feed } = await start(slow)
    const reader = new AbortController()
    const variables = encodeURIComponent(JSON.stringify({ secret: CLIENT_SECRET }))
    const url = `${service.url}/graphql?query=${encodeURIComponent(query)}&variables=${variables}`
    const response = fetch(url, { headers: { accept: 'text/event-stream' }, signal: reader.signal })
    await until(() => slow.asked() === 1)
    reader.abort()
    await expect(response).rejects.toThrow()
    await until(() => service.logLines.some((line) => line.includes('"status":499')))
    const witness = await connect(service)
    witness.send(follow('witness'))
    await until(() => slow.asked() === 2)
    slow.answer()
    await until(() => feed.followers() === 1)
    expect(await placesTaken(service)).toBe(1)
  })
})

describe('operations of one connection', () => {
  it('are counted while they run, not by their ids', async () => {
    const slow = slowIntent()
    const { service } = await start({ ...slow, settings: { webSockets: { maxOperationsPerConnection: 5 } } })
    const raw = await connect(service)
    for (let running = 1; running <= 5; running++) {
      raw.send(follow('x'))
      await until(() => slow.asked() === running)
      raw.send(complete('x'))
    }
    raw.send(follow('x'))
    await until(() => raw.received.some(({ type }) => type === 'error'))
    expect(raw.received.at(-1)).toMatchObject({
      id: 'x',
      payload: [{ extensions: { code: 'rate_limited', retryAfter: 1 } }],
    })
    slow.answer()
    await until(async () => {
      raw.send(follow('y'))
      return slow.asked() > 0
    })
  })
})

describe('connections without a key', () => {
  const webSockets = { maxConnections: 3, maxConnectionsWithoutKey: 2 }

  it('leave places for upgrades with a key', async () => {
    const { service } = await start({ settings: { webSockets } })
    const strangers = [await connect(service), await openWebSocket(service)]
    open.push({ close: () => strangers[1]?.socket.terminate() })
    expect((await handshake(service)).status).toBe(503)
    expect((await handshake(service, { headers: withKey('sk_live_wrong') })).status).toBe(503)
    await connect(service, withKey())
    expect((await handshake(service, { headers: withKey() })).status).toBe(503)
    strangers[0]?.socket.close()
    await strangers[0]?.closed
    await until(async () => (await handshake(service)).status === 101)
  })

  it('count no more when connection_init proves a key', async () => {
    const { service } = await start({ settings: { webSockets } })
    await connect(service)
    await connect(service, {}, withKey())
    expect((await handshake(service)).status).toBe(101)
  })

  it('end when they run no operation for a while, and with a key they stay', async () => {
    const { service, feed } = await start({ settings: { webSockets: { idleTimeoutMs: 200 } } })
    const idle = await connect(service)
    const following = await connect(service)
    following.send(follow('x'))
    const business = await connect(service, withKey())
    await until(() => feed.followers() === 1)
    expect(await idle.closed).toEqual({ code: 4408, reason: 'no operation' })
    expect([following, business].map(({ socket }) => socket.readyState)).toEqual([WebSocket.OPEN, WebSocket.OPEN])
    following.send(complete('x'))
    expect((await following.closed).code).toBe(4408)
    expect(business.socket.readyState).toBe(WebSocket.OPEN)
  })
})

describe('connections of one address', () => {
  const webSockets = { maxConnectionsPerAddress: 2 }

  it('do not use up those of a business, which has as many of its own', async () => {
    const authenticate = async (key: string) => {
      const found = credential(key === TEST_API_KEY ? 'test' : 'live')
      if (key === TEST_API_KEY) return { ...found, tenant: { ...found.tenant, accountId: 'another' } }
      if (key === API_KEY) return found
      throw new ServiceError('unauthenticated')
    }
    const { service } = await start({ services: { accounts: { authenticate } }, settings: { webSockets } })
    for (let opened = 0; opened < 2; opened++) await connect(service)
    expect((await handshake(service)).status).toBe(503)
    expect((await handshake(service, { headers: withKey('sk_live_wrong') })).status).toBe(503)
    const own = [await connect(service, withKey()), await connect(service, withKey())]
    expect((await handshake(service, { headers: withKey() })).status).toBe(503)
    expect((await handshake(service, { headers: withKey(TEST_API_KEY) })).status).toBe(101)
    own[0]?.socket.close()
    await own[0]?.closed
    await until(async () => (await handshake(service, { headers: withKey() })).status === 101)
  })

  it('leave its place to another when connection_init proves a key', async () => {
    const { service } = await start({ settings: { webSockets } })
    for (let opened = 0; opened < 2; opened++) await connect(service, {}, withKey())
    for (let opened = 0; opened < 2; opened++) await connect(service)
    expect((await handshake(service)).status).toBe(503)
  })

  it('with wrong keys count as failures of the address', async () => {
    const rateLimits = { ...DEFAULT_RATE_LIMITS, publicAddressPerMinute: 3 }
    const { service } = await start({ settings: { webSockets, rateLimits } })
    for (let opened = 0; opened < 2; opened++) await connect(service)
    for (let tried = 0; tried < 3; tried++) await handshake(service, { headers: withKey('sk_live_wrong') })
    expect((await service.get('/status?index=1', withKey('sk_live_wrong'))).status).toBe(429)
    expect((await handshake(service, { headers: withKey() })).status).toBe(101)
  })
})
