// A business that the operator disables, on a real Solana runtime: nothing new begins, and what is under way is finished.
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { runOperator } from '#operator/program.ts'
import {
  type Json,
  openIntent,
  STORY_TIMEOUT_MS,
  type Story,
  startStory,
  untilStatus,
} from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

const ORDER = { amount_usd_cents: 1_500, accepted_tokens: [{ kind: 'sol' }], customer: { email: 'ada@example.com' } }
const DISABLED = { status: 403, body: { error: expect.stringContaining('ask the operator to enable it') } }

let story: Story & { stop(): Promise<void> }
let businessId: string
beforeAll(async () => {
  story = await startStory()
  businessId = (await operator('account', 'list')).accounts[0].id
})
afterAll(() => story?.stop())

async function operator(...args: string[]): Promise<Json> {
  const out: string[] = []
  const global = ['--url', story.facts.operator_url, '--token', story.operatorToken, '--json']
  const code = await runOperator(
    [...global, ...args],
    {},
    { out: (line) => out.push(line), err: (line) => out.push(line) },
  )
  expect([code, out]).toEqual([0, out])
  return JSON.parse(out.join('\n'))
}

/** Disables an account until the test ends, or `enable` is called. */
async function disable(id: string): Promise<() => Promise<void>> {
  const enable = async () => {
    expect((await operator('account', 'enable', id)).account.disabled_at).toBeNull()
  }
  onTestFinished(enable)
  const { account } = await operator('account', 'disable', id, '--reason', 'It sells what it does not have.')
  expect(account.disabled_reason).toBe('It sells what it does not have.')
  return enable
}

async function ask(method: string, path: string, body?: object, seller?: string): Promise<Json> {
  const response = await fetch(story.facts.base_url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${story.facts.api_key}`,
      ...(seller !== undefined && { 'x-platform-on-behalf-of': seller }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

const ofCheckout = (path: string, clientSecret: string, more: object = {}) =>
  story.rest('POST', path, { body: { client_secret: clientSecret, ...more } })

it('a disabled business creates and changes nothing, and a payment that was open is swept', async () => {
  const open = await openIntent(story, 'SOL')
  const untouched = await ask('POST', '/intents', ORDER)
  const enable = await disable(businessId)

  expect(await ask('POST', '/intents', ORDER)).toMatchObject(DISABLED)
  expect(await ask('POST', '/cancel', { index: open.index })).toMatchObject(DISABLED)
  expect(await ofCheckout('/intents/select-token', untouched.body.client_secret, { mint: null })).toMatchObject(
    DISABLED,
  )
  expect(await ofCheckout('/intents/details', open.clientSecret, { email: 'eve@example.com' })).toMatchObject(DISABLED)

  expect((await ask('GET', `/status?index=${open.index}`)).body).toMatchObject({ status: 'pending' })
  expect((await ask('GET', '/payments')).status).toBe(200)
  await story.pay(open.deposit, 'SOL', open.expected)
  await untilStatus(story, open.index, 'swept')

  await enable()
  expect((await ask('POST', '/intents', ORDER)).status).toBe(200)
})

it('the buyer of a disabled business withdraws, and what has arrived goes back', async () => {
  const open = await openIntent(story, 'SOL')
  await disable(businessId)
  await story.pay(open.deposit, 'SOL', open.expected / 2n)
  await untilStatus(story, open.index, 'underpaid')
  expect((await ofCheckout('/intents/cancel', open.clientSecret)).status).toBe(200)
  await untilStatus(story, open.index, 'refunded')
})

it('a disabled marketplace disables its sellers, and a disabled seller no other one', async () => {
  await operator('marketplace', 'approve', businessId)
  const sellerOf = async (name: string): Promise<string> => {
    const { body } = await ask('POST', '/marketplace/sellers', { name, sweep_destination: story.wallet.address })
    return body.id
  }
  const [bad, good] = [await sellerOf('Bad'), await sellerOf('Good')]
  const { body: open } = await ask('POST', '/intents', ORDER, bad)

  const enable = await disable(bad)
  expect(await ask('POST', '/intents', ORDER, bad)).toMatchObject(DISABLED)
  expect(await ofCheckout('/intents/select-token', open.client_secret, { mint: null })).toMatchObject(DISABLED)
  expect((await ask('GET', `/marketplace/sellers/${bad}`)).body.disabled_at).not.toBeNull()
  expect((await ask('POST', '/intents', ORDER, good)).status).toBe(200)
  expect((await ask('POST', '/intents', ORDER)).status).toBe(200)
  await enable()

  const { body: ofGood } = await ask('POST', '/intents', ORDER, good)
  await disable(businessId)
  expect(await ask('POST', '/intents', ORDER, good)).toMatchObject(DISABLED)
  expect(await ofCheckout('/intents/select-token', ofGood.client_secret, { mint: null })).toMatchObject(DISABLED)
})

it('the audit log says who disabled a business and why, and a repeat changes the reason only', async () => {
  const { api_key: key } = await operator('key', 'create', businessId, '--scopes', 'audit-view')
  const enable = await disable(businessId)
  const { account: first } = await operator('account', 'show', businessId)
  const { account: again } = await operator('account', 'disable', businessId, '--reason', 'Another one.')
  expect(again).toMatchObject({ disabled_at: first.disabled_at, disabled_reason: 'Another one.' })
  await enable()
  const query = '{ auditLog(first: 3) { edges { node { action actor { kind } changes } } } }'
  const { body } = await story.rest('POST', '/graphql', { key, body: { query } })
  const actor = { kind: 'operator' }
  expect(body.data.auditLog.edges.map(({ node }: Json) => node)).toEqual([
    {
      action: 'business_enabled',
      actor,
      changes: { disabled_at: [first.disabled_at, null], disabled_reason: ['Another one.', null] },
    },
    { action: 'business_disabled', actor, changes: { disabled_reason: [first.disabled_reason, 'Another one.'] } },
    {
      action: 'business_disabled',
      actor,
      changes: { disabled_at: [null, first.disabled_at], disabled_reason: [null, first.disabled_reason] },
    },
  ])
})
