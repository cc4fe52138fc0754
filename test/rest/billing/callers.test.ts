// Every route of recurring billing for businesses, from every kind of caller.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { ROUTES } from '#rest/routes.ts'
import { type BillingEdge, onBehalfOf, startBillingEdge } from '../../support/billing-edge.ts'
import { addDomain, addSubscription, addTier } from '../../support/billing-rows.ts'
import { type Answer, startTestService, type TestService, withKey } from '../../support/services.ts'

const CASES = ROUTES.filter(({ path }) => path.startsWith('/subscription')).map((route) => ({
  ...route,
  name: `${route.method} ${route.path}`,
  isWrite: route.method !== 'GET',
}))
const READS = CASES.filter(({ isWrite }) => !isWrite)
const WRITES = CASES.filter(({ isWrite }) => isWrite)

let edge: BillingEdge
beforeAll(async () => {
  edge = await startBillingEdge()
})
afterAll(() => edge.close())
afterEach(() => {
  edge.world.isEnabled = true
})

type Case = (typeof CASES)[number]

/** Asks a route about an object that does not exist, with a body that only some of the routes take. */
function ask({ method, path, isWrite }: Case, headers: Record<string, string>): Promise<Answer> {
  const target = path.replace(/:\w+/, randomUUID())
  return isWrite ? edge.send(method, target, { name: 'Coffee' }, headers) : edge.ask(method, target, headers)
}

const malformed = (one: Case, headers: Record<string, string>): Promise<Answer> =>
  one.isWrite
    ? edge.send(one.method, one.path.replace(/:\w+/, randomUUID()), '{', headers)
    : edge.ask(one.method, `${one.path.replace(/:\w+/, 'x')}?limit=0`, headers)

const UNAVAILABLE = [503, { error: 'subscription_service_unavailable' }]
const DENIED = [403, { error: 'permission_denied' }]
const shown = ({ status, body }: Answer) => [status, body]

describe.each(CASES)('$name', (one) => {
  it('is 503 while recurring billing is disabled, whatever the input is', async () => {
    edge.world.isEnabled = false
    for (const send of [ask, malformed]) expect(shown(await send(one, withKey(edge.keys.own)))).toEqual(UNAVAILABLE)
  })

  it('is 503 for a key of a test account, whatever the input is', async () => {
    for (const send of [ask, malformed]) expect(shown(await send(one, withKey(edge.keys.test)))).toEqual(UNAVAILABLE)
  })

  it('is 401 without a valid key, also while it is disabled', async () => {
    for (const isEnabled of [true, false]) {
      edge.world.isEnabled = isEnabled
      for (const headers of [{}, withKey('sk_live_wrong')]) expect((await ask(one, headers)).status).toBe(401)
    }
  })

  it('is 403 for a key without a scope of recurring billing, whatever the input is', async () => {
    for (const send of [ask, malformed]) expect(shown(await send(one, withKey(edge.keys.payer)))).toEqual(DENIED)
  })

  it('needs the scope to view for a read, and the scope to manage for a change', async () => {
    const [right, wrong] = one.isWrite ? [edge.keys.manager, edge.keys.viewer] : [edge.keys.viewer, edge.keys.manager]
    expect(shown(await ask(one, withKey(wrong)))).toEqual(DENIED)
    expect((await ask(one, withKey(right))).status).not.toBe(403)
  })

  it('is 404 on behalf of whatever is no active seller of the caller', async () => {
    const { keys, sellers, tenant } = edge
    const unknown = [randomUUID(), 'not-an-id', '', sellers.archived, sellers.revoked, tenant.accountId]
    const answers = await Promise.all([
      ...unknown.map((id) => ask(one, onBehalfOf(keys.market, id))),
      ...[tenant.accountId, sellers.market].map((id) => ask(one, onBehalfOf(keys.own, id))),
      malformed(one, onBehalfOf(keys.own, sellers.market)),
    ])
    for (const answer of answers) expect(shown(answer)).toEqual([404, { error: 'seller not found' }])
  })

  it('shows an input that cannot be read as an identifier', async () => {
    const { status, body } = await malformed(one, withKey(edge.keys.own))
    if (status === 404) expect(body.error).toMatch(/_not_found$/)
    else expect([status, body.error]).toEqual([400, one.isWrite ? 'invalid_request' : 'invalid_limit'])
  })
})

describe('an address that sent too many wrong keys', () => {
  let limited: TestService
  beforeAll(async () => {
    limited = await startTestService({
      settings: { rateLimits: { ...DEFAULT_RATE_LIMITS, publicAddressPerMinute: 1 } },
    })
    await limited.get('/subscriptions', withKey('sk_live_wrong'))
  })
  afterAll(() => limited.close())

  it.each(CASES)('gets the identifier and the wait from $name', async ({ method, path, isWrite }) => {
    const target = path.replace(/:\w+/, randomUUID())
    const headers = withKey('sk_live_wrong')
    const { status, body } = await (isWrite
      ? limited.send(method, target, {}, headers)
      : limited.ask(method, target, headers))
    expect([status, body]).toEqual([429, { error: 'rate_limited', retry_after_seconds: expect.any(Number) }])
  })
})

it.each(WRITES)('$name on behalf of a seller is 409 once the marketplace is revoked', async (one) => {
  const answer = await ask(one, onBehalfOf(edge.keys.revoked, edge.sellers.revoked))
  expect(shown(answer)).toEqual([409, { error: 'the marketplace has been disabled' }])
})

it.each(READS)('$name on behalf of a seller still answers a revoked marketplace', async (one) => {
  const { status, body } = await ask(one, onBehalfOf(edge.keys.revoked, edge.sellers.revoked))
  expect(one.path.includes(':') ? body.error : status).toEqual(
    one.path.includes(':') ? expect.stringMatching(/_not_found$/) : 200,
  )
})

describe('GraphQL', () => {
  const query = '{ subscriptionProducts { edges { node { uuid } } } }'
  const codeOf = (answer: Answer) => answer.body.errors?.[0]?.extensions.code

  it('refuses with the same codes', async () => {
    expect(codeOf(await edge.graphql(query, {}, withKey(edge.keys.test)))).toBe('subscription_service_unavailable')
    expect(codeOf(await edge.graphql(query, {}, withKey(edge.keys.manager)))).toBe('permission_denied')
    expect(codeOf(await edge.graphql(query))).toBe('unauthenticated')
    edge.world.isEnabled = false
    expect(codeOf(await edge.graphql(query, {}, withKey(edge.keys.own)))).toBe('subscription_service_unavailable')
  })

  it('tells a caller what it may do', async () => {
    const access = async (scope: string, key: string, seller: string | null = null) => {
      const answer = await edge.graphql(
        'query ($scope: BillingScope!, $seller: String) { billingAccess(scope: $scope, onBehalfOf: $seller) }',
        { scope, seller },
        withKey(key),
      )
      return codeOf(answer) ?? answer.body.data.billingAccess
    }
    const { keys, sellers } = edge
    expect(await access('subscriptions_view', keys.viewer)).toBe(true)
    expect(await access('subscriptions_manage', keys.viewer)).toBe('permission_denied')
    expect(await access('subscriptions_manage', keys.manager)).toBe(true)
    expect(await access('subscriptions_manage', keys.market, sellers.market)).toBe(true)
    expect(await access('subscriptions_view', keys.own, sellers.market)).toBe('seller_not_found')
    expect(await access('subscriptions_manage', keys.revoked, sellers.revoked)).toBe('marketplace_disabled')
  })

  it('acts for a seller by an argument', async () => {
    const ofSeller = `{ subscriptionProducts(onBehalfOf: "${edge.sellers.market}") { edges { node { uuid } } } }`
    expect((await edge.graphql(ofSeller, {}, withKey(edge.keys.market))).body).toEqual({
      data: { subscriptionProducts: { edges: [] } },
    })
    expect(codeOf(await edge.graphql(ofSeller, {}, withKey(edge.keys.own)))).toBe('seller_not_found')
  })

  describe('node', () => {
    const ids: Record<string, string> = {}
    beforeAll(async () => {
      const tier = await addTier(edge.database, edge.tenant)
      const { subscription, charge } = await addSubscription(edge.database, tier, edge.world.now)
      ids.BillingSubscription = subscription.id
      ids.Charge = charge.id
      ids.RedirectDomain = await addDomain(edge.database, edge.tenant, 'shop.example.com')
      ids.SubscriptionIntent = subscription.intentId
      ids.SubscriptionProduct = tier.productId
      ids.SubscriptionTier = tier.id
    })
    const find = async (type: string, key: string) => {
      const id = Buffer.from(`${type}:${ids[type]}`).toString('base64')
      const answer = await edge.graphql(`{ node(id: "${id}") { __typename id } }`, {}, withKey(key))
      return codeOf(answer) ?? answer.body.data.node
    }

    it.each([
      'BillingSubscription',
      'Charge',
      'RedirectDomain',
      'SubscriptionIntent',
      'SubscriptionProduct',
      'SubscriptionTier',
    ])('%s is found by its business with the scope to view, while recurring billing is enabled', async (type) => {
      const { keys } = edge
      expect(await find(type, keys.viewer)).toMatchObject({ __typename: type })
      for (const key of [keys.payer, keys.manager]) expect(await find(type, key)).toBe('permission_denied')
      for (const key of [keys.other, keys.market]) expect(await find(type, key)).toBeNull()
      expect(await find(type, keys.test)).toBe('subscription_service_unavailable')
      edge.world.isEnabled = false
      expect(await find(type, keys.viewer)).toBe('subscription_service_unavailable')
    })
  })
})
