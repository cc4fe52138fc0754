// What the routes of redirect domains answer and refuse.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BillingEdge, onBehalfOf, startBillingEdge } from '../../support/billing-edge.ts'
import { addDomain } from '../../support/billing-rows.ts'
import { type Answer, withKey } from '../../support/services.ts'

let edge: BillingEdge
beforeAll(async () => {
  edge = await startBillingEdge()
})
afterAll(() => edge.close())

const own = () => withKey(edge.keys.own)
const create = (host: unknown, headers = own()) => edge.post('/subscription-domains', { host }, headers)
const archive = (id: string) => edge.ask('POST', `/subscription-domains/${id}/archive`, own())
const find = (id: string, headers = own()) => edge.get(`/subscription-domains/${id}`, headers)
const shown = ({ status, body }: Answer) => [status, body]

it('a create answers 201 with every field, and the host as browsers know it', async () => {
  const { status, body } = await create('Bücher.Example')
  expect([status, body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      host: 'xn--bcher-kva.example',
      active: true,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: body.created_at,
    },
  ])
  expect(shown(await find(body.id))).toEqual([200, body])
})

it('a create of an existing host answers 200 with the stored domain, and makes it active again', async () => {
  const { body } = await create('shop.example.com')
  expect(shown(await create('SHOP.example.com'))).toEqual([200, body])
  const archived = await archive(body.id)
  expect(shown(archived)).toEqual([200, { ...body, active: false, updated_at: expect.any(String) }])
  expect((await archive(body.id)).body).toEqual(archived.body)
  const again = await create('shop.example.com')
  expect(shown(again)).toEqual([200, { ...body, updated_at: expect.any(String) }])
  expect(again.body.updated_at > archived.body.updated_at).toBe(true)
})

const logged = async (of: Parameters<BillingEdge['database']['query']>[1]) =>
  await edge.database.query(
    `SELECT account_id, seller_account_id, action, actor_kind, changes->'host' AS host FROM audit_log
     WHERE changes->'id'->>0 = $1::text ORDER BY position`,
    of,
  )

it('each change of a domain is in the audit log of the business that made it, and what changes nothing is not', async () => {
  const { body } = await create('logged.example.com')
  await create('logged.example.com')
  await archive(body.id)
  await archive(body.id)
  await create('logged.example.com')
  const entry = { account_id: edge.tenant.accountId, seller_account_id: null, actor_kind: 'api_key' }
  const added = { ...entry, action: 'domain.added', host: [null, 'logged.example.com'] }
  expect(await logged([body.id])).toEqual([
    added,
    { ...entry, action: 'domain.archived', host: ['logged.example.com', null] },
    added,
  ])
})

it('a domain of a seller is in the audit log of its marketplace', async () => {
  const seller = edge.sellers.market
  const { body } = await create('seller-log.example.com', onBehalfOf(edge.keys.market, seller))
  const [marketplace] = await edge.database.query(
    'SELECT marketplace_account_id AS account_id FROM accounts WHERE id = $1',
    [seller],
  )
  expect(await logged([body.id])).toMatchObject([{ ...marketplace, seller_account_id: seller, action: 'domain.added' }])
})

it('concurrent creates of one host make one domain', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => create('race.example.com')))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
})

it('a host belongs to each business by itself, and a seller has domains of its own', async () => {
  const mine = await create('both.example.com')
  const theirs = await create('both.example.com', withKey(edge.keys.other))
  const sellers = await create('both.example.com', onBehalfOf(edge.keys.market, edge.sellers.market))
  expect([mine, theirs, sellers].map(({ status }) => status)).toEqual([201, 201, 201])
  expect((await find(sellers.body.id, onBehalfOf(edge.keys.market, edge.sellers.market))).status).toBe(200)
  expect((await find(sellers.body.id, withKey(edge.keys.market))).status).toBe(404)
})

it.each([
  undefined,
  null,
  7,
  '',
  'localhost',
  '127.0.0.1',
  'https://shop.example.com',
  'a.example:80',
  '*.example.com',
  'a'.repeat(254),
])('refuses the host %j', async (host) => {
  expect(shown(await create(host))).toEqual([400, { error: 'invalid_host' }])
})

it('a domain of another business is answered like one that does not exist', async () => {
  const { id } = (await create('mine.example.com')).body
  const other = withKey(edge.keys.other)
  for (const target of [id, randomUUID(), 'x']) {
    const answers = [
      await find(target, other),
      await edge.ask('POST', `/subscription-domains/${target}/archive`, other),
    ]
    for (const answer of answers) expect(shown(answer)).toEqual([404, { error: 'domain_not_found' }])
  }
})

describe('the list of domains', () => {
  const hosts = async (query = '') => {
    const { body } = await edge.get(`/subscription-domains${query}`, withKey(edge.keys.viewer))
    return body.domains.map(({ host }: { host: string }) => host)
  }
  beforeAll(async () => {
    await edge.database.query('DELETE FROM redirect_domains')
    for (const host of ['a.example', 'b.example', 'c.example']) await create(host)
    const [{ id }] = (await edge.get('/subscription-domains?limit=1', own())).body.domains
    await archive(id)
  })

  it('is the newest first, and is filtered by whether a domain is active', async () => {
    expect(await hosts()).toEqual(['c.example', 'b.example', 'a.example'])
    expect(await hosts('?active=true')).toEqual(['b.example', 'a.example'])
    expect(await hosts('?active=false')).toEqual(['c.example'])
  })

  it('has the domains of the caller alone', async () => {
    await addDomain(edge.database, edge.other, 'theirs.example')
    expect(await hosts()).toEqual(['c.example', 'b.example', 'a.example'])
    const { body } = await edge.get('/subscription-domains', withKey(edge.keys.other))
    expect(body.domains).toMatchObject([{ host: 'theirs.example' }])
  })

  it('is walked by its cursor', async () => {
    const first = (await edge.get('/subscription-domains?limit=2', own())).body
    expect(await hosts(`?limit=2&cursor=${first.next_cursor}`)).toEqual(['a.example'])
  })

  it.each([
    ['limit=0', { error: 'invalid_limit' }],
    ['cursor=x', { error: 'invalid_cursor' }],
    ['active=yes', { error: 'invalid_request', field: 'active' }],
  ])('refuses ?%s', async (query, expected) => {
    expect(shown(await edge.get(`/subscription-domains?${query}`, own()))).toEqual([400, expected])
  })

  it('is a connection of GraphQL, with a mutation for each change', async () => {
    const made = await edge.graphql(
      'mutation { createRedirectDomain(host: "D.example") { created domain { uuid host } } }',
      {},
      own(),
    )
    const { domain, created } = made.body.data.createRedirectDomain
    expect([created, domain.host]).toEqual([true, 'd.example'])
    const gone = await edge.graphql(`mutation { archiveRedirectDomain(id: "${domain.uuid}") { active } }`, {}, own())
    expect(gone.body.data.archiveRedirectDomain).toEqual({ active: false })
    const list = '{ redirectDomains(active: false) { edges { node { host } } } }'
    expect((await edge.graphql(list, {}, own())).body.data.redirectDomains.edges).toHaveLength(2)
  })
})
