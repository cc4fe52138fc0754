// The cookie of a session is a credential of our own pages only: what other pages and programs try with it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createSessionCookies } from '#server/session-cookies.ts'
import { pendingIntent } from '../support/example-intent.ts'
import { foreignTo } from '../support/foreign-requests.ts'
import { serverSentEvents, subscribe, webSocketClient } from '../support/graphql-client.ts'
import { addKey } from '../support/keys.ts'
import { type MembersEdge, ORIGIN, startMembersEdge } from '../support/members-edge.ts'
import { createTestFeed, withKey } from '../support/services.ts'
import { until } from '../support/until.ts'

const feed = createTestFeed()
let edge: MembersEdge
let cookie = ''
let accountId = ''
beforeAll(async () => {
  edge = await startMembersEdge({ live: feed, services: { intents: { findByIndex: async () => pendingIntent } } })
  accountId = await edge.business()
  cookie = (await edge.logIn(accountId)).browser.cookie
})
afterAll(() => edge.close())

const ME = '{ me { member { name } } }'
const JSON_TYPE = 'application/json'

const FOREIGN = foreignTo(ORIGIN)

describe('a request with the cookie', () => {
  it('is one of the member on a page of the service', async () => {
    const { body } = await edge.graphql(ME, {}, { cookie, origin: ORIGIN })
    expect(body.data.me).toEqual({ member: { name: 'Ada' } })
  })

  it.each(FOREIGN)('is anonymous with %s', async (_what, headers) => {
    const { body } = await edge.graphql(ME, {}, { cookie, ...headers })
    expect(body.errors[0].extensions.code).toBe('unauthenticated')
  })

  it.each(FOREIGN)('changes nothing with %s', async (_what, headers) => {
    const create = 'mutation { createApiKey(name: "stolen") { apiKey } }'
    expect((await edge.graphql(create, {}, { cookie, ...headers })).text).not.toContain('sk_live')
    expect((await edge.post('/api-keys', { name: 'stolen' }, { cookie, ...headers })).status).toBe(401)
    expect(await edge.database.prisma.apiKey.count({ where: { accountId } })).toBe(0)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'is refused as a form of the type %s, which any page can send',
    async (type) => {
      const body = JSON.stringify({ query: ME })
      const sent = await edge.send('POST', '/graphql', body, { cookie, origin: ORIGIN, 'content-type': type })
      expect(sent.status).toBe(415)
      expect(
        (await edge.send('POST', '/api-keys', body, { cookie, origin: ORIGIN, 'content-type': type })).status,
      ).toBe(415)
    },
  )

  it('that is a GET is one of the member only when a browser marks it as one of the same origin', async () => {
    const get = (headers: Record<string, string>) =>
      edge.get(`/graphql?query=${encodeURIComponent(ME)}`, { accept: JSON_TYPE, cookie, ...headers })
    expect((await get({ 'sec-fetch-site': 'same-origin' })).body.data.me).not.toBeNull()
    for (const site of ['same-site', 'cross-site', 'none', '', 'Same-Origin'])
      expect((await get({ 'sec-fetch-site': site })).text).toContain('unauthenticated')
    expect((await get({ 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' })).text).toContain(
      'unauthenticated',
    )
  })

  it('that is a GET is no mutation, whatever method other headers name', async () => {
    const query = encodeURIComponent('mutation { logOut { id } }')
    const headers = { accept: JSON_TYPE, cookie, 'sec-fetch-site': 'same-origin', 'x-http-method-override': 'POST' }
    expect((await edge.get(`/graphql?query=${query}`, headers)).status).toBe(405)
    const overridden = { ...headers, origin: ORIGIN, 'x-http-method-override': 'DELETE' }
    expect((await edge.get('/api-keys/0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d0aa', overridden)).status).toBe(405)
    expect((await edge.graphql(ME, {}, { cookie, origin: ORIGIN })).body.data.me).not.toBeNull()
  })

  it('and an Authorization header is one of the header, also when that proves nothing', async () => {
    const wrong = await edge.graphql(ME, {}, { cookie, origin: ORIGIN, authorization: 'Bearer sk_live_wrong' })
    expect(wrong.status).toBe(401)
    const { secret } = await addKey(edge.database, accountId, { scopes: ['payments'] })
    const { body } = await edge.graphql(ME, {}, { cookie, origin: ORIGIN, ...withKey(secret) })
    expect(body.errors[0].extensions.code).toBe('session_required')
    await edge.database.prisma.apiKey.deleteMany({ where: { accountId } })
  })

  it.each([
    ['the name without its prefix', () => cookie.replace('__Host-', '')],
    ['two cookies of the name', () => `${cookie}; ${cookie.replace(/.$/, 'x')}`],
    ['the secret of no session', () => `__Host-session=ss_${'a'.repeat(43)}`],
    ['an API key in the cookie', () => '__Host-session=sk_live_EdgeTests00000000000000000000000'],
  ])('is anonymous with %s', async (_what, given) => {
    const { body } = await edge.graphql(ME, {}, { cookie: given(), origin: ORIGIN })
    expect(body.errors[0].extensions.code).toBe('unauthenticated')
  })

  it('does not pass to routes that take a key only', async () => {
    const own = { cookie, origin: ORIGIN }
    expect((await edge.get('/api-keys', own)).status).toBe(200)
    for (const path of ['/payments', '/status?index=1', '/events', '/webhook-endpoints', '/marketplace'])
      expect([path, (await edge.get(path, own)).status]).toEqual([path, 401])
    expect((await edge.operator('{ accounts { id } }', {}, own)).status).toBe(401)
  })

  it('lets no page of another origin read the answer', async () => {
    const { headers } = await edge.graphql(ME, {}, { cookie, origin: 'https://evil.example' })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })
})

const open = (headers: Record<string, string>) => {
  class WithHeaders extends WebSocket {
    constructor(url: string, protocols: string) {
      super(url, protocols, { headers: { cookie, ...headers } })
    }
  }
  return webSocketClient(edge.url, undefined, WithHeaders)
}

describe('a websocket with the cookie', () => {
  const ask = async (headers: Record<string, string>) => {
    const client = open(headers)
    const results = subscribe(client, ME)
    const result = await results.next()
    await client.dispose()
    return result
  }

  it('is one of the member on a page of the service', async () => {
    expect((await ask({ origin: ORIGIN })).data?.me).toEqual({ member: { name: 'Ada' } })
  })

  it.each(FOREIGN.filter(([, { origin }]) => origin !== ''))('is anonymous with %s', async (_what, headers) => {
    expect((await ask(headers)).errors?.[0]?.extensions?.code).toBe('unauthenticated')
  })

  it('begins no session', async () => {
    const client = open({ origin: ORIGIN })
    const query = `mutation { logInWithWallet(wallet: "11111111111111111111111111111112") { me { member { id } } } }`
    const { errors } = await subscribe(client, query).next()
    expect(errors?.[0]?.extensions?.code).toBe('own_pages_only')
    await client.dispose()
  })
})

describe('server-sent events with the cookie', () => {
  it('are for a page of the service only', async () => {
    const query = encodeURIComponent('subscription { paymentIntentUpdated(index: 1) { status } }')
    const get = (site: string) =>
      fetch(`${edge.url}/graphql?query=${query}`, {
        headers: { cookie, accept: 'text/event-stream', 'sec-fetch-site': site },
      })
    const foreign = await serverSentEvents(await get('cross-site')).next()
    expect(foreign.value?.errors?.[0]?.extensions?.code).toBe('unauthenticated')
    const events = serverSentEvents(await get('same-origin'))
    const first = events.next()
    await until(() => feed.followers() > 0)
    feed.push(pendingIntent)
    expect((await first).value?.data).toEqual({ paymentIntentUpdated: { status: 'pending' } })
    await events.return(undefined)
  })
})

describe('a live stream over a websocket', () => {
  const end: Readonly<Record<string, (session: Started) => Promise<unknown>>> = {
    'is ended by its member': ({ browser }) => browser.graphql('mutation { logOut { id } }'),
    'is that of a member who is removed': ({ member }) =>
      edge.operator('mutation ($id: UUID!) { removeAccountMember(id: $id) { id } }', { id: member.id }),
    'has sent nothing for 12 hours': async () => edge.later(12 * 3_600),
  }
  type Started = Awaited<ReturnType<MembersEdge['logIn']>>

  it.each(Object.keys(end))('ends when the session %s', async (how) => {
    const session = await edge.logIn(accountId)
    const client = open({ origin: ORIGIN, cookie: session.browser.cookie })
    const results = subscribe(client, 'subscription { paymentIntentUpdated(index: 1) { status } }')
    const first = results.next()
    await until(() => feed.followers() === 1)
    feed.push(pendingIntent)
    expect((await first).data).toEqual({ paymentIntentUpdated: { status: 'pending' } })
    await end[how]?.(session)
    const refused = results.next().then(
      () => 'delivered',
      (errors: unknown) => JSON.stringify(errors),
    )
    feed.push(pendingIntent)
    expect(await refused).toContain('"code":"unauthenticated"')
    await client.dispose()
    await until(() => feed.followers() === 0)
  })
})

describe('the cookie of a service', () => {
  const set = (publicUrl: string): string => {
    const headers = new Map<string, string>()
    const response = { headersSent: false, setHeader: (name: string, value: string) => headers.set(name, value) }
    const { browser } = createSessionCookies(publicUrl).senderOf(
      { method: 'POST', headers: { origin: new URL(publicUrl).origin }, rawHeaders: [] },
      response,
    )
    browser?.keep('ss_secret')
    return headers.get('Set-Cookie') ?? ''
  }

  it.each(['http://127.0.0.1:4000', 'http://localhost:4000'])('has a plain name at %s, without TLS', (publicUrl) => {
    expect(set(publicUrl)).toBe('session=ss_secret; Path=/; HttpOnly; SameSite=Lax; Max-Age=604800')
  })

  it('is bound to the host and to TLS at an https address, also below a path', () => {
    expect(set('https://pay.example.com/payments')).toBe(
      '__Host-session=ss_secret; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=604800',
    )
  })
})
