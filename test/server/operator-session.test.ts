// The session of the operator's dashboard: a cookie that only the page at the operator's address can use.
import { describe, expect, it, onTestFinished } from 'vitest'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { createOperatorSessions } from '#graphql/operator/sessions.ts'
import { createOperatorCookies } from '#server/session-cookies.ts'
import { foreignTo } from '../support/foreign-requests.ts'
import {
  asOperator,
  OPERATOR_TOKEN,
  startTestService,
  type TestOptions,
  type TestService,
} from '../support/services.ts'

const LOG_IN = 'mutation { beginOperatorSession { expiresAt } }'
const LOG_OUT = 'mutation { endOperatorSession }'
const READ = '{ accounts { id } }'
const HOURS = 3_600_000

/** What the operator's log has. */
let logged: string[] = []
let now = new Date('2026-11-20T10:00:00Z')

async function start(options: TestOptions = {}): Promise<TestService & { readonly origin: string }> {
  now = new Date('2026-11-20T10:00:00Z')
  logged = []
  const operatorLog = {
    async logged<T>({ action }: { readonly action: string }, change: () => Promise<T>): Promise<T> {
      logged.push(action)
      return await change()
    },
  }
  const service = await startTestService({
    ...options,
    now: () => now,
    services: { accounts: { list: async () => [] }, operatorLog },
  })
  onTestFinished(() => service.close())
  return { ...service, origin: service.url }
}

const cookieOf = ({ headers }: { headers: Headers }): string => headers.get('set-cookie')?.split(';', 1)[0] ?? ''
const enter = async (service: TestService & { readonly origin: string }): Promise<string> =>
  cookieOf(await service.operator(LOG_IN, {}, { ...asOperator, origin: service.origin }))

describe('a login on the page of the dashboard', () => {
  it('answers with a cookie that no script can read, that no other site sends, and that ends after 12 hours', async () => {
    const service = await start()
    const answer = await service.operator(LOG_IN, {}, { ...asOperator, origin: service.origin })
    expect(answer.body.data.beginOperatorSession.expiresAt).toBe('2026-11-20T22:00:00.000Z')
    expect(answer.headers.get('set-cookie')).toMatch(
      /^operator=os_\d{10}_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    )
    expect(logged).toEqual(['beginOperatorSession'])
  })

  it('needs the token: another one, none, and a session begin nothing', async () => {
    const service = await start()
    const cookie = await enter(service)
    const without: Record<string, string>[] = [{ authorization: `Bearer ${OPERATOR_TOKEN}x` }, {}, { cookie }]
    for (const headers of without) {
      const answer = await service.operator(LOG_IN, {}, { ...headers, origin: service.origin })
      expect(answer.body.errors[0].extensions.code).toBe('unauthenticated')
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
  })

  it('begins nothing for a program, or for a page of another origin', async () => {
    const service = await start()
    const others: Record<string, string>[] = [{}, { origin: 'https://evil.example' }]
    for (const headers of others) {
      const answer = await service.operator(LOG_IN, {}, { ...asOperator, ...headers })
      expect(answer.body.errors[0].extensions.code).toBe('own_pages_only')
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
  })

  it('with wrong tokens, and wrong cookies, is slowed as every wrong credential is', async () => {
    const service = await start({ settings: { rateLimits: { ...DEFAULT_RATE_LIMITS, publicAddressPerMinute: 3 } } })
    const forgedOf = (end: string) => `operator=os_${end}_${'a'.repeat(43)}`
    const attempts: Record<string, string>[] = [
      { authorization: 'Bearer wrong' },
      { cookie: forgedOf('1795211999') },
      { cookie: forgedOf('0000000001') },
      { cookie: forgedOf('1795211999') },
    ]
    const statuses: number[] = []
    for (const headers of attempts)
      statuses.push((await service.operator(READ, {}, { ...headers, origin: service.origin })).status)
    expect(statuses).toEqual([401, 401, 401, 429])
  })
})

describe('the cookie', () => {
  it('is the operator to the API until it ends, and only there', async () => {
    const service = await start()
    const own = { cookie: await enter(service), origin: service.origin }
    expect((await service.operator(READ, {}, own)).body.data).toEqual({ accounts: [] })
    expect((await service.get('/metrics', own)).status).toBe(401)
    expect((await service.graphql('{ business { id } }', {}, own)).text).toContain('unauthenticated')
    now = new Date(now.getTime() + 12 * HOURS - 1_000)
    expect((await service.operator(READ, {}, own)).status).toBe(200)
    now = new Date(now.getTime() + 1_000)
    expect((await service.operator(READ, {}, own)).status).toBe(401)
  })

  it('is nothing when it is altered, is for another time, twice there, or has another name', async () => {
    const service = await start()
    const cookie = await enter(service)
    const altered = [
      cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      cookie.replace(/os_\d{10}/, 'os_1999999999'),
      cookie.slice(0, -1),
      `${cookie}; ${cookie}`,
      cookie.replace('operator=', 'session='),
      cookie.replace('operator=', '__Host-operator='),
    ]
    for (const given of altered) {
      const answer = await service.operator(READ, {}, { cookie: given, origin: service.origin })
      expect([given, answer.status]).toEqual([given, 401])
    }
  })

  it('is nothing after the token has changed', async () => {
    const cookie = await enter(await start())
    const other = await start({ settings: { operatorToken: `${OPERATOR_TOKEN}2` } })
    expect((await other.operator(READ, {}, { cookie, origin: other.origin })).status).toBe(401)
  })

  it('is removed by a logout', async () => {
    const service = await start()
    const cookie = await enter(service)
    const answer = await service.operator(LOG_OUT, {}, { cookie, origin: service.origin })
    expect(answer.body.data).toEqual({ endOperatorSession: true })
    expect(answer.headers.get('set-cookie')).toBe('operator=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0')
    expect((await service.operator(LOG_OUT)).body.data).toEqual({ endOperatorSession: false })
  })

  it('is not in the log', async () => {
    const service = await start()
    const cookie = await enter(service)
    await service.operator(READ, {}, { cookie, origin: service.origin })
    expect(service.logLines.length).toBeGreaterThan(0)
    expect(service.logLines.join()).not.toContain('os_')
    expect(service.logLines.join()).not.toContain(OPERATOR_TOKEN)
  })

  it('is refused as a form, which any page can send', async () => {
    const service = await start()
    const own = { cookie: await enter(service), origin: service.origin }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const body = JSON.stringify({ query: READ })
      expect((await service.send('POST', '/operator/graphql', body, { ...own, 'content-type': type })).status).toBe(415)
    }
  })
})

describe('at an https address', () => {
  const ORIGIN = 'https://ops.example.com'
  const { secret } = createOperatorSessions(OPERATOR_TOKEN, () => now).begin()
  const cookie = `__Host-operator=${secret}`
  const senderOf = (given: Record<string, string>) => {
    const set: string[] = []
    const response = { headersSent: false, setHeader: (_name: string, value: string) => set.push(value) }
    const { host = 'ops.example.com', ...headers } = given
    const request = { method: 'POST', headers: { cookie, ...headers }, rawHeaders: ['Host', host] }
    return { ...createOperatorCookies().senderOf(request, response), set }
  }

  it('the cookie is bound to the host and to TLS', () => {
    const { sent, browser, set } = senderOf({ origin: ORIGIN })
    expect(sent).toEqual({ secret })
    browser?.keep(secret)
    expect(set).toEqual([`${cookie}; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=43200`])
  })

  it.each(foreignTo(ORIGIN))('a request with the cookie is anonymous with %s', (_what, headers) => {
    expect(senderOf(headers).sent).toBeNull()
  })

  it('a page of a name that leads here is one of our own, and has no cookie of ours', () => {
    const rebound = { origin: 'http://evil.example:4000', host: 'evil.example:4000' }
    expect(senderOf(rebound).sent).toBeNull()
  })
})
