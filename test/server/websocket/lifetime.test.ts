// The memory that remains after a connection, and that an open stream keeps.
import { queryObjects, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it } from 'vitest'
import { AddressUse } from '#server/websocket/budget.ts'
import { Connection } from '#server/websocket/connection.ts'
import { Operation } from '#server/websocket/operation.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { openWebSocket, type RawWebSocket } from '../../support/raw-connections.ts'
import {
  CLIENT_SECRET,
  createTestFeed,
  metric,
  startTestService,
  type TestOptions,
  type TestService,
} from '../../support/services.ts'
import { until } from '../../support/until.ts'

describe('lifetime', () => {
  const query = 'subscription Live($secret: String!) { checkoutUpdated(clientSecret: $secret) { status } }'
  const follow = (id: string, more: { variables?: object; extensions?: object } = {}) => ({
    type: 'subscribe',
    id,
    payload: { query, ...more, variables: { secret: CLIENT_SECRET, ...more.variables } },
  })

  const open: { close(): unknown }[] = []
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.close()
  })

  type Feed = ReturnType<typeof createTestFeed>

  async function start(settings: TestOptions['settings'] = {}): Promise<{ service: TestService; feed: Feed }> {
    const feed = createTestFeed()
    const services = { intents: { checkoutStatus: async () => pendingIntent } }
    const service = await startTestService({ live: feed, services, settings })
    open.push(service)
    return { service, feed }
  }

  async function connect(service: TestService): Promise<RawWebSocket> {
    const raw = await openWebSocket(service)
    open.push({ close: () => raw.socket.terminate() })
    await raw.init()
    return raw
  }

  const hasAnswered = ({ received }: RawWebSocket, operation: string): boolean =>
    received.some(({ type, id }) => type === 'complete' && id === operation)

  /** Counts the objects of a class that are still reachable. */
  const left = (type: new (...args: never[]) => object): number => queryObjects(type, { format: 'count' })

  describe('of 2,000 connections with operations', () => {
    it('nothing remains when they are over: no place, no follower, no timer and no object', async () => {
      const { service, feed } = await start({
        webSockets: { addressAllowance: { messages: 1e6, bytes: 1e9, windowMs: 100 } },
      })
      const visit = async (round: number) => {
        const raw = await openWebSocket(service)
        await raw.init()
        raw.send(follow('a'))
        raw.send({ type: 'subscribe', id: 'b', payload: { query: '{ __typename }' } })
        // Some leave when they have an answer, some while it is prepared; some with a close frame, some without.
        if (round % 5 === 0) await until(() => hasAnswered(raw, 'b'))
        if (round % 2 === 0) raw.socket.close()
        else raw.socket.terminate()
        await raw.closed
      }
      // The first connections load code that every later connection shares.
      for (let round = 0; round < 20; round++) await visit(round)
      await until(() => feed.followers() === 0)
      const before = await heapInUse()
      for (let round = 0; round < 20; round++)
        await Promise.all(Array.from({ length: 100 }, (_, index) => visit(index)))
      await until(() => feed.followers() === 0)
      await until(async () => (await metric(service, 'websocket_connections')) === 0)
      expect(await metric(service, 'live_streams_open')).toBe(0)
      await until(() => left(AddressUse) === 0)
      expect([left(Connection), left(Operation)]).toEqual([0, 0])
      expect((await heapInUse()) - before).toBeLessThan(8 * 1024 * 1024)
    }, 60_000)
  })

  describe('an open stream', () => {
    const filler = Array.from({ length: 18_000 }, () => [])
    const MB = 1024 * 1024

    it.each([
      ['variables', { variables: { filler } }],
      ['extensions', { extensions: { filler } }],
    ])('over a websocket keeps nothing of the %s that its operation does not use', async (_where, more) => {
      const { service, feed } = await start()
      const raw = await connect(service)
      raw.send(follow('first', more))
      await until(() => feed.followers() === 1)
      const before = await heapInUse()
      // Within the allowance of one connection.
      for (let id = 0; id < 30; id++) raw.send(follow(String(id), more))
      await until(() => feed.followers() === 31)
      // Each message takes 740 KB of memory after it is read.
      expect((await heapInUse()) - before).toBeLessThan(4 * MB)
    })

    it.each([
      ['variables', { variables: { filler } }],
      ['extensions', { extensions: { filler } }],
    ])('of server-sent events keeps nothing of the %s that its operation does not use', async (_where, more) => {
      const { service, feed } = await start()
      const stop = new AbortController()
      open.push({ close: () => stop.abort() })
      const body = JSON.stringify(follow('', more).payload)
      const listen = () =>
        fetch(`${service.url}/graphql`, {
          method: 'POST',
          headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
          body,
          signal: stop.signal,
        })
      // A response without a reference is cancelled when it is collected.
      const kept = [await listen()]
      await until(() => feed.followers() === 1)
      const before = await heapInUse()
      kept.push(...(await Promise.all(Array.from({ length: 30 }, listen))))
      await until(() => feed.followers() === 31)
      expect((await heapInUse()) - before).toBeLessThan(8 * MB)
      expect(kept).toHaveLength(31)
    })
  })
})

// Memory in use, for tests of memory limits.
setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Returns the bytes of the heap in use after a full garbage collection. */
async function heapInUse(): Promise<number> {
  // Pending tasks free the memory of the last messages.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  return process.memoryUsage().heapUsed
}
