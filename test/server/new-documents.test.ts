// Documents that the service has not seen before: reading a document takes time, so it is charged before it is read.
import type { GraphQLError } from 'graphql'
import { afterEach, describe, expect, it } from 'vitest'
import { makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { webSocketClient } from '../support/graphql-client.ts'
import { startTestService, TEST_API_KEY, type TestService, withKey } from '../support/services.ts'

const FACTS = {
  cluster: 'live',
  checkoutWindowSeconds: 600,
  networkFeeLamports: makeLamports(10_050),
  platformFeeBps: makeBasisPoints(0),
  maxMarketplaceFeeBps: makeBasisPoints(5000),
  webhookEventTypes: [],
  apiVersion: '1',
}
const LIMITS = {
  ...DEFAULT_RATE_LIMITS,
  newDocumentsPerSecondOfLiveKey: 4,
  newDocumentsPerSecondOfTestKey: 3,
  newDocumentsPerMinuteOfAddress: 5,
}

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function start(rateLimits = LIMITS): Promise<TestService> {
  const service = await startTestService({ services: { platform: { facts: () => FACTS } }, settings: { rateLimits } })
  open.push(service)
  return service
}

let number = 0
const newDocument = (fields = '__typename'): string => `query New${++number} { ${fields} }`
const known = '{ __typename }'

async function codes(count: number, ask: (at: number) => ReturnType<TestService['graphql']>): Promise<string[]> {
  const answers: string[] = []
  for (let at = 0; at < count; at++) answers.push((await ask(at)).body.errors?.[0].extensions.code ?? 'data')
  return answers
}

describe('a new document', () => {
  it('is charged to its address, and above the limit answered by 429 with the time to wait', async () => {
    const service = await start()
    expect(await codes(7, () => service.graphql(newDocument()))).toEqual([
      ...Array(5).fill('data'),
      ...Array(2).fill('rate_limited'),
    ])
    const { status, headers, body } = await service.graphql(newDocument())
    expect([status, body.data]).toEqual([429, undefined])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(30)
    expect(body.errors[0].extensions).toEqual({ code: 'rate_limited', retryAfter: expect.any(Number) })
  })

  it('is charged once: the same documents can be sent as often as their fields allow, from one address', async () => {
    const service = await start()
    await codes(1, () => service.graphql(known))
    await codes(6, () => service.graphql(newDocument()))
    expect(await codes(30, () => service.graphql(known))).toEqual(Array(30).fill('data'))
  })

  it('is charged by its size', async () => {
    const service = await start()
    const comment = `#${'x'.repeat(4 * 1024)}\n`
    expect(await codes(2, () => service.graphql(comment + newDocument()))).toEqual(['data', 'rate_limited'])
  })

  it('is charged when it is not valid, and not again when it is repeated', async () => {
    const service = await start()
    const ask = () => service.graphql('{ nothing }')
    expect(await codes(10, ask)).toEqual(Array(10).fill('invalid_document'))
    expect(await codes(6, () => service.graphql(newDocument('nothing')))).toEqual([
      ...Array(4).fill('invalid_document'),
      ...Array(2).fill('rate_limited'),
    ])
  })

  it('that was refused counts as a call when it is repeated', async () => {
    const service = await start({ ...LIMITS, publicAddressPerMinute: 3 })
    expect(await codes(6, () => service.graphql('{ nothing }'))).toEqual([
      ...Array(4).fill('invalid_document'),
      ...Array(2).fill('rate_limited'),
    ])
    expect(await codes(1, () => service.graphql(known))).toEqual(['data'])
  })

  it('of a caller far above its limit is refused after a pause, without a delay for other callers', async () => {
    const service = await start()
    await codes(10, () => service.graphql(newDocument()))
    const started = performance.now()
    const flood = service.graphql(newDocument())
    await codes(1, () => service.graphql(newDocument(), {}, withKey()))
    expect((await flood).status).toBe(429)
    expect(performance.now() - started).toBeGreaterThan(200)
  })

  it('of a key is charged to the key alone', async () => {
    const service = await start()
    await codes(6, () => service.graphql(newDocument()))
    const byTestKey = () => service.graphql(newDocument(), {}, withKey(TEST_API_KEY))
    // All at once, because its count is for one second.
    const answers = await Promise.all([byTestKey(), byTestKey(), byTestKey(), byTestKey()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429])
    expect(await codes(1, () => service.graphql(newDocument(), {}, withKey()))).toEqual(['data'])
  })

  it('of the operator is not charged', async () => {
    const service = await start()
    expect(await codes(8, () => service.operator(newDocument()))).toEqual(Array(8).fill('data'))
  })

  it('over a websocket counts towards the same limit', async () => {
    const service = await start()
    const client = webSocketClient(service.url)
    open.push({ close: () => client.dispose() })
    const ask = () =>
      new Promise<string>((resolve) => {
        client.subscribe(
          { query: newDocument() },
          {
            next: () => resolve('data'),
            error: (errors) =>
              resolve(
                String(Array.isArray(errors) ? errors.map(({ extensions }: GraphQLError) => extensions.code) : errors),
              ),
            complete: () => undefined,
          },
        )
      })
    const answers: string[] = []
    for (let at = 0; at < 5; at++) answers.push(await ask())
    expect(answers).toEqual(Array(5).fill('data'))
    expect(await ask()).toBe('rate_limited')
    expect(await codes(1, () => service.graphql(newDocument()))).toEqual(['rate_limited'])
  })

  it('that would take long to validate keeps the service busy for a short time only', async () => {
    const service = await start(DEFAULT_RATE_LIMITS)
    const repeated = 'network '.repeat(240)
    const before = process.cpuUsage()
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, at) => service.graphql(`query Q${at} { config { ${repeated} } }`)),
    )
    // Before documents were measured and charged, each took 88 ms of CPU time, 18 s in all.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(6_000)
    // Each is larger than one KB, and costs two points.
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(200 - 30)
  })
})
