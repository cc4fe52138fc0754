import { connect } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import {
  createStreams,
  DEFAULT_STREAM_LIMITS,
  type Holder,
  holdersOfAccount,
  holdersOfFeed,
  holdersOfIntent,
  type Stream,
} from '#graphql/payments/live/streams.ts'
import type { LiveEvents } from '#ports/live.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { serverSentEvents, subscribe, webSocketClient } from '../../support/graphql-client.ts'
import { askRaw, openWebSocket, sendRaw } from '../../support/raw-connections.ts'
import {
  API_KEY,
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

// Places of live streams: which holder they count for, and how each is freed.
describe('places', () => {
  const many = { account: 9, feed: 9, buyers: 9, intent: 9, address: 9, everyBuyer: 9, total: 9 }
  const open = (streams: ReturnType<typeof createStreams>, holders: readonly Holder[], times: number) => {
    for (let time = 0; time < times; time++) streams.open(holders)
  }
  const refused = expect.objectContaining({ code: 'rate_limited' })

  it('a stream of all payments of a marketplace counts for its keys and for its feed', () => {
    const streams = createStreams({ ...many, account: 3, feed: 2 })
    open(streams, holdersOfFeed('a'), 2)
    expect(() => streams.open(holdersOfFeed('a'))).toThrow(refused)
    expect(() => streams.open(holdersOfFeed('b'))).not.toThrow()
    streams.open(holdersOfAccount('a'))
    expect(() => streams.open(holdersOfAccount('a'))).toThrow(refused)
  })

  describe('a stream of a buyer', () => {
    const of = (intent: string, account: string, address: string) =>
      holdersOfIntent({ id: intent, accountId: account }, address)

    it.each([
      ['intent', of('i', 'other', '10.0.0.2'), of('other', 'a', '10.0.0.1')],
      ['buyers', of('other', 'a', '10.0.0.2'), of('i', 'other', '10.0.0.1')],
      ['address', of('other', 'other', '10.0.0.1'), of('i', 'a', '10.0.0.2')],
    ])('counts for its %s', (kind, sharing, notSharing) => {
      const streams = createStreams({ ...many, [kind]: 2 })
      open(streams, of('i', 'a', '10.0.0.1'), 2)
      expect(() => streams.open(sharing)).toThrow(refused)
      expect(() => streams.open(notSharing)).not.toThrow()
    })

    it('leaves places for businesses, however many streams buyers have', () => {
      const streams = createStreams({ ...many, everyBuyer: 2 })
      open(streams, of('i', 'a', '10.0.0.1'), 1)
      open(streams, of('j', 'b', '10.0.0.2'), 1)
      expect(() => streams.open(of('k', 'c', '10.0.0.3'))).toThrow(refused)
      expect(() => streams.open(holdersOfAccount('a'))).not.toThrow()
    })

    it('takes no place of the keys of its account', () => {
      const streams = createStreams({ ...many, account: 1, buyers: 1 })
      streams.open(of('i', 'a', '10.0.0.1'))
      streams.open(holdersOfAccount('a'))
      expect(streams.count()).toBe(2)
    })

    it('counts for its address, which can have a tenth of all places', () => {
      const streams = createStreams(DEFAULT_STREAM_LIMITS)
      let taken = 0
      for (let secret = 0; secret < 520; secret++) {
        for (let place = 0; place < 50; place++) {
          try {
            streams.open(of(`intent ${secret}`, `account ${secret % 20}`, '10.0.0.1'))
            taken++
          } catch {
            break
          }
        }
      }
      expect(taken).toBe(1_000)
      expect(() => streams.open(of('another', 'account 1', '10.0.0.2'))).not.toThrow()
      expect(() => streams.open(holdersOfAccount('account 1'))).not.toThrow()
    })
  })

  describe('a place', () => {
    it('is not taken from a holder when another has none left', () => {
      const streams = createStreams({ ...many, intent: 1, buyers: 2 })
      const holders = (intent: string) => holdersOfIntent({ id: intent, accountId: 'a' }, '10.0.0.1')
      streams.open(holders('i'))
      for (let time = 0; time < 5; time++) expect(() => streams.open(holders('i'))).toThrow(refused)
      expect(() => streams.open(holders('j'))).not.toThrow()
    })

    it('is freed once, however often its stream ends', () => {
      const streams = createStreams({ ...many, account: 2 })
      const request = new AbortController()
      const stream = streams.open(holdersOfAccount('a'), request.signal)
      streams.open(holdersOfAccount('a'))
      stream.close()
      stream.close()
      request.abort()
      expect(streams.count()).toBe(1)
      open(streams, holdersOfAccount('a'), 1)
      expect(() => streams.open(holdersOfAccount('a'))).toThrow(refused)
    })

    it('is freed when its request ends, which ends the stream', () => {
      const streams = createStreams(many)
      const request = new AbortController()
      const stream = streams.open(holdersOfAccount('a'), request.signal)
      request.abort()
      expect([streams.count(), stream.signal.aborted]).toEqual([0, true])
    })

    it('is not reserved for a request that has already ended', () => {
      const streams = createStreams(many)
      const stream = streams.open(holdersOfAccount('a'), AbortSignal.abort())
      expect([streams.count(), stream.signal.aborted]).toEqual([0, true])
    })

    it('is freed, and no other is given, when the service stops', () => {
      const streams = createStreams(many)
      const stream = streams.open(holdersOfAccount('a'))
      streams.endAll()
      expect([streams.count(), stream.signal.aborted]).toEqual([0, true])
      expect(() => streams.open(holdersOfAccount('a'))).toThrow(refused)
    })

    it('is counted correctly in any order of opening and closing', () => {
      const limits = { account: 3, feed: 1, buyers: 3, intent: 2, address: 3, everyBuyer: 5, total: 7 }
      const step = fc.oneof(
        fc.record({ open: fc.constantFrom('a', 'b'), intent: fc.constantFrom(null, 'i', 'j', 'k') }),
        fc.record({ close: fc.nat(20), byRequest: fc.boolean() }),
      )
      fc.assert(
        fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
          const streams = createStreams(limits)
          const all: { stream: Stream; request: AbortController; holders: readonly Holder[] }[] = []
          const counts = (holder: Holder) =>
            all.filter(({ holders }) => holders.some(({ kind, id }) => kind === holder.kind && id === holder.id)).length
          for (const one of steps) {
            if ('close' in one) {
              const [ended] = all.splice(one.close % Math.max(1, all.length), 1)
              if (one.byRequest) ended?.request.abort()
              else ended?.stream.close()
              continue
            }
            const { open: account, intent } = one
            const holders =
              intent === null ? holdersOfAccount(account) : holdersOfIntent({ id: intent, accountId: account }, account)
            const hasRoom = all.length < limits.total && holders.every((holder) => counts(holder) < limits[holder.kind])
            const request = new AbortController()
            if (hasRoom) all.push({ stream: streams.open(holders, request.signal), request, holders })
            else expect(() => streams.open(holders, request.signal)).toThrow(refused)
            expect(streams.count()).toBe(all.length)
          }
        }),
      )
    })
  })
})

// Live status: its results, its readers, its endings, and that nothing remains after it.
describe('live status', () => {
  const BY_INDEX = 'subscription Live($index: Int!) { paymentIntentUpdated(index: $index) { status version } }'
  const BY_SECRET = 'subscription Live($secret: String!) { checkoutUpdated(clientSecret: $secret) { status version } }'
  const secret = { secret: CLIENT_SECRET }

  const open: { close(): unknown }[] = []
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.close()
  })

  type Feed = ReturnType<typeof createTestFeed>

  async function start(options: TestOptions = {}): Promise<{ service: TestService; feed: Feed }> {
    const feed = createTestFeed()
    const service = await startTestService({
      live: feed,
      ...options,
      services: {
        intents: { findByIndex: async () => pendingIntent, checkoutStatus: async () => pendingIntent },
        ...options.services,
      },
    })
    open.push(service)
    return { service, feed }
  }

  function client(service: TestService, params?: Record<string, unknown>) {
    const made = webSocketClient(service.url, params)
    open.push({ close: () => made.dispose() })
    return made
  }

  const brokenFeed: LiveEvents = {
    // biome-ignore lint/correctness/useYield: it throws before its first result.
    async *follow() {
      throw new Error('connect ECONNREFUSED 10.0.0.7')
    },
  }

  const at = (version: number, status: PaymentIntent['status']): PaymentIntent => ({
    ...pendingIntent,
    version,
    status,
  })
  const update = (field: string, version: number, status: string) => ({ data: { [field]: { status, version } } })

  describe('over a websocket', () => {
    it('a business receives the current state and each change, by index', async () => {
      const { service, feed } = await start()
      const results = subscribe(client(service, { authorization: `Bearer ${API_KEY}` }), BY_INDEX, { index: 42 })
      const first = results.next()
      await until(() => feed.followers() === 1)
      feed.push(at(1, 'pending'))
      feed.push(at(2, 'paid'))
      feed.push(at(3, 'swept'))
      expect(await first).toEqual(update('paymentIntentUpdated', 1, 'pending'))
      expect(await results.next()).toEqual(update('paymentIntentUpdated', 2, 'paid'))
      expect(await results.next()).toEqual(update('paymentIntentUpdated', 3, 'swept'))
    })

    it('a buyer receives changes by client secret, without a key', async () => {
      const { service, feed } = await start()
      const results = subscribe(client(service), BY_SECRET, secret)
      const first = results.next()
      await until(() => feed.followers() === 1)
      feed.push(at(4, 'underpaid'))
      expect(await first).toEqual(update('checkoutUpdated', 4, 'underpaid'))
    })

    it('queries and mutations are answered too', async () => {
      const { service } = await start()
      const results = subscribe(
        client(service, { Authorization: `Bearer ${API_KEY}` }),
        '{ paymentIntent(index: 1) { status } }',
      )
      expect(await results.next()).toEqual({ data: { paymentIntent: { status: 'pending' } } })
    })

    it('a wrong key is refused', async () => {
      const { service } = await start()
      const results = subscribe(client(service, { authorization: 'Bearer sk_live_wrong' }), BY_INDEX, { index: 42 })
      await expect(results.next()).rejects.toMatchObject({ code: 4403 })
    })

    it('a key that cannot be checked at this moment is not called wrong', async () => {
      const authenticate = () => Promise.reject(new Error('the database is away'))
      const { service } = await start({ services: { accounts: { authenticate } } })
      const raw = await openWebSocket(service, withKey())
      raw.send({ type: 'connection_init' })
      expect(await raw.closed).toEqual({ code: 1013, reason: 'try again later' })
    })

    it.each([
      ['connection_init', { Authorization: `Bearer ${API_KEY}` }, {}, {}],
      ['the headers of connection_init', { headers: { Authorization: `Bearer ${API_KEY}` } }, {}, {}],
      ['the upgrade request', {}, withKey(), {}],
      ['the headers that GraphiQL sends with an operation', {}, {}, { headers: withKey() }],
      ['several places at once', withKey(), withKey(), { headers: withKey() }],
    ])('a key is read from %s', async (_where, params, headers, extensions) => {
      const { service, feed } = await start()
      const raw = await openWebSocket(service, headers)
      open.push({ close: () => raw.socket.terminate() })
      await raw.init(params)
      raw.send({ type: 'subscribe', id: 'a', payload: { query: BY_INDEX, variables: { index: 42 }, extensions } })
      await until(() => feed.followers() === 1)
      feed.push(at(1, 'pending'))
      await until(() => raw.received.length === 2)
      expect(raw.received[1]?.payload).toEqual(update('paymentIntentUpdated', 1, 'pending'))
    })

    it('two keys that differ are refused, in the connection or in an operation', async () => {
      const { service } = await start()
      const raw = await openWebSocket(service, withKey())
      raw.send({ type: 'connection_init', payload: withKey(TEST_API_KEY) })
      expect(await raw.closed).toEqual({ code: 4403, reason: 'Forbidden' })
      const connection = client(service, withKey())
      const results = connection.iterate({ query: '{ __typename }', extensions: { headers: withKey(TEST_API_KEY) } })
      await expect(results.next()).rejects.toMatchObject([{ extensions: { code: 'unauthenticated' } }])
    })

    it('a wrong client secret is refused by its code', async () => {
      const { service, feed } = await start({
        services: {
          intents: {
            checkoutStatus: async () => {
              throw new ServiceError('invalid_client_secret')
            },
          },
        },
      })
      const { errors } = await subscribe(client(service), BY_SECRET, secret).next()
      expect(errors?.[0]?.extensions).toEqual({ code: 'invalid_client_secret' })
      expect(feed.followers()).toBe(0)
    })

    it('a failure shows nothing of its cause, and the connection stays open', async () => {
      const { service } = await start({
        services: {
          intents: {
            findByIndex: async () => {
              throw new Error('connect ECONNREFUSED 10.0.0.7')
            },
          },
        },
      })
      const connection = client(service, { authorization: `Bearer ${API_KEY}` })
      for (const query of [BY_INDEX, 'query Q($index: Int!) { paymentIntent(index: $index) { status } }']) {
        const result = await subscribe(connection, query, { index: 1 }).next()
        expect(result.errors?.[0]).toMatchObject({ message: 'internal error', extensions: { code: 'internal_error' } })
        expect(JSON.stringify(result)).not.toContain('10.0.0.7')
      }
      expect(service.logLines.join('')).toContain('ECONNREFUSED')
    })

    it('a document that does not fit is an error, not the end of the connection', async () => {
      const { service } = await start()
      const connection = client(service)
      for (const query of ['{', '{ nothing }', '{ a b c']) {
        const first = await subscribe(connection, query)
          .next()
          .catch((errors: unknown) => ({ errors }))
        expect(first.errors).toBeDefined()
      }
    })

    it('leaving ends the stream at its source', async () => {
      const { service, feed } = await start()
      const results = subscribe(client(service), BY_SECRET, secret)
      const first = results.next()
      await until(() => feed.followers() === 1)
      feed.push(at(1, 'pending'))
      await first
      await results.stop()
      await until(() => feed.followers() === 0)
    })

    it('a connection that breaks ends its streams at their source', async () => {
      const { service, feed } = await start()
      const connection = client(service)
      subscribe(connection, BY_SECRET, secret)
        .next()
        .catch(() => undefined)
      await until(() => feed.followers() === 1)
      connection.terminate()
      await until(() => feed.followers() === 0)
    })

    it('a revoked key receives nothing more', async () => {
      let revoked = false
      const authenticate = async () => {
        if (revoked) throw new ServiceError('unauthenticated')
        return credential('live')
      }
      const { service, feed } = await start({
        services: { intents: { findByIndex: async () => pendingIntent }, accounts: { authenticate } },
      })
      const results = subscribe(client(service, { authorization: `Bearer ${API_KEY}` }), BY_INDEX, { index: 42 })
      const first = results.next()
      await until(() => feed.followers() === 1)
      feed.push(at(1, 'pending'))
      await first
      revoked = true
      feed.push(at(2, 'paid'))
      await expect(results.next()).rejects.toMatchObject([{ extensions: { code: 'unauthenticated' } }])
      await until(() => feed.followers() === 0)
    })

    it('a feed that fails shows nothing of its cause', async () => {
      const { service } = await start({ live: brokenFeed })
      await expect(subscribe(client(service), BY_SECRET, secret).next()).rejects.toMatchObject([
        { message: 'internal error', extensions: { requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
      ])
      expect(service.logLines.join('')).toContain('ECONNREFUSED')
    })

    it('one holder has a limited number of streams, and a place is freed', async () => {
      const { service, feed } = await start({ settings: { streams: { account: 0, intent: 2, total: 10 } } })
      const connection = client(service)
      const first = subscribe(connection, BY_SECRET, secret)
      first.next().catch(() => undefined)
      subscribe(connection, BY_SECRET, secret)
        .next()
        .catch(() => undefined)
      await until(() => feed.followers() === 2)
      const { errors } = await subscribe(connection, BY_SECRET, secret).next()
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'rate_limited' })
      await first.stop()
      await until(() => feed.followers() === 1)
      subscribe(connection, BY_SECRET, secret)
        .next()
        .catch(() => undefined)
      await until(() => feed.followers() === 2)
    })

    it('one connection has a limited number of operations', async () => {
      const webSockets = { maxConnections: 10, maxConnectionsPerAddress: 10, maxOperationsPerConnection: 2 }
      const { service, feed } = await start({ settings: { webSockets } })
      const connection = client(service)
      for (const followers of [1, 2]) {
        subscribe(connection, BY_SECRET, secret)
          .next()
          .catch(() => undefined)
        await until(() => feed.followers() === followers)
      }
      await expect(subscribe(connection, '{ config { cluster } }').next()).rejects.toMatchObject([
        { extensions: { code: 'rate_limited' } },
      ])
    })

    it('the number of connections is limited', async () => {
      const webSockets = { maxConnections: 1, maxConnectionsPerAddress: 10, maxOperationsPerConnection: 10 }
      const { service, feed } = await start({ settings: { webSockets } })
      subscribe(client(service), BY_SECRET, secret)
        .next()
        .catch(() => undefined)
      await until(() => feed.followers() === 1)
      await expect(subscribe(client(service), BY_SECRET, secret).next()).rejects.toBeDefined()
    })

    it('only /graphql is a websocket', async () => {
      const { service } = await start()
      const made = webSocketClient(`${service.url}/elsewhere`)
      await expect(subscribe(made, '{ config { cluster } }').next()).rejects.toBeDefined()
    })

    it('a stop of the service ends every stream soon', async () => {
      const { service, feed } = await start()
      const results = subscribe(client(service), BY_SECRET, secret)
      const first = results.next()
      await until(() => feed.followers() === 1)
      feed.push(at(1, 'pending'))
      await first
      open.splice(open.indexOf(service), 1)
      const started = performance.now()
      await service.close()
      await results.ended().catch(() => undefined)
      expect(feed.followers()).toBe(0)
      expect(performance.now() - started).toBeLessThan(1_000)
    })
  })

  describe('as server-sent events', () => {
    const url = (service: TestService) =>
      `${service.url}/graphql?query=${encodeURIComponent(BY_SECRET)}&variables=${encodeURIComponent(JSON.stringify(secret))}`
    const headers = { accept: 'text/event-stream' }

    it('a buyer receives each change, from a plain GET', async () => {
      const { service, feed } = await start()
      const stop = new AbortController()
      const response = await fetch(url(service), { headers, signal: stop.signal })
      expect(response.headers.get('content-type')).toContain('text/event-stream')
      expect(response.headers.get('x-accel-buffering')).toBe('no')
      expect(response.headers.get('cache-control')).toBe('no-cache, no-store, no-transform')
      const events = serverSentEvents(response)
      await until(() => feed.followers() === 1)
      feed.push(at(1, 'pending'))
      feed.push(at(2, 'swept'))
      expect((await events.next()).value).toEqual(update('checkoutUpdated', 1, 'pending'))
      expect((await events.next()).value).toEqual(update('checkoutUpdated', 2, 'swept'))
      stop.abort()
      await until(() => feed.followers() === 0)
    })

    it('a business receives changes with its key', async () => {
      const { service, feed } = await start()
      const response = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { ...headers, ...withKey(), 'content-type': 'application/json' },
        body: JSON.stringify({ query: BY_INDEX, variables: { index: 42 } }),
      })
      const events = serverSentEvents(response)
      await until(() => feed.followers() === 1)
      feed.push(at(3, 'paid'))
      expect((await events.next()).value).toEqual(update('paymentIntentUpdated', 3, 'paid'))
      await events.return(undefined)
    })

    it('the connection closes after the stream when the client asks for it, and stays open when it does not', async () => {
      const { service } = await start()
      const target = `/graphql?query=${encodeURIComponent('{ __typename }')}`
      const head = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n`
      const reply = await askRaw(service.port, `${head}Connection: close\r\n\r\n`)
      expect([reply.status, reply.headers.get('connection')]).toEqual([200, 'close'])
      expect(reply.body).toContain('event: complete')
      const twice = await sendRaw(service.port, `${head}\r\n${head}Connection: close\r\n\r\n`)
      expect(twice.match(/event: complete/g)).toHaveLength(2)
    })

    it('a feed that fails shows nothing of its cause', async () => {
      const { service } = await start({ live: brokenFeed })
      const text = await (await fetch(url(service), { headers })).text()
      expect(text).toContain('internal error')
      expect(text).not.toContain('10.0.0.7')
    })

    it('a stop of the service cuts the stream after the states that it sent, without an end event', async () => {
      const { service, feed } = await start()
      const { pathname, search } = new URL(url(service))
      const head = `GET ${pathname}${search} HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n`
      const connection = connect(service.port, '127.0.0.1', () => connection.write(head))
      let text = ''
      connection.on('data', (part) => {
        text += part
      })
      const closed = new Promise((resolve) => connection.once('close', resolve))
      await until(() => feed.followers() === 1)
      feed.push(at(1, 'pending'))
      await until(() => text.includes(JSON.stringify(update('checkoutUpdated', 1, 'pending'))))
      open.splice(open.indexOf(service), 1)
      await service.close()
      await closed
      expect(text).not.toContain('event: complete')
      expect(text).not.toMatch(/\r\n0\r\n\r\n$/)
      expect(feed.followers()).toBe(0)
    })

    it('a stop of the service is an error for a client that reads the stream', async () => {
      const { service, feed } = await start()
      const response = await fetch(url(service), { headers })
      await until(() => feed.followers() === 1)
      open.splice(open.indexOf(service), 1)
      const [read] = await Promise.allSettled([response.text(), service.close()])
      expect(read.status).toBe('rejected')
    })
  })
})
