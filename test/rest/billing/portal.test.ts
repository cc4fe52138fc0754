// The routes of the hosted portal and of the recovery of links: what each answers, and what it refuses.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ErrorCode, type ErrorContext, ServiceError } from '#core/errors.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { createPortalServices } from '#services/billing/portal/portal.ts'
import type { PortalServices } from '#services/billing/portal/portal-services.ts'
import {
  exampleApproval,
  exampleChange,
  exampleChangeChallenge,
  examplePortal,
  examplePortalServices,
  exampleRevocation,
  exampleTier,
  PORTAL_TOKEN,
} from '../../support/example-billing.ts'
import { SELLER_WALLET } from '../../support/example-seller.ts'
import { type Answer, startTestService, type TestService } from '../../support/services.ts'

/** What the services answer, and what they were asked. */
let refusal: ServiceError | null = null
let given: unknown[] = []
let fakes: Partial<PortalServices> = {}
const answering =
  <Name extends keyof PortalServices>(name: Name) =>
  async (...asked: unknown[]) => {
    given = asked
    if (refusal !== null) throw refusal
    return await Reflect.apply({ ...examplePortalServices, ...fakes }[name], undefined, asked)
  }

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    services: {
      subscriptionPortal: {
        readPortal: answering('readPortal'),
        cancelInPortal: answering('cancelInPortal'),
        pauseInPortal: answering('pauseInPortal'),
        resumeInPortal: answering('resumeInPortal'),
        changeTierInPortal: answering('changeTierInPortal'),
        renewInPortal: answering('renewInPortal'),
        revokeInPortal: answering('revokeInPortal'),
        activateInPortal: answering('activateInPortal'),
        recovery() {
          if (refusal !== null) throw refusal
          return examplePortalServices.recovery()
        },
        challengeForLinks: answering('challengeForLinks'),
        recoverLinks: answering('recoverLinks'),
      },
    },
  })
})
afterAll(() => service.close())
afterEach(() => {
  refusal = null
  given = []
  fakes = {}
})

const PAGE = '/pay/m/po_token'
const MANAGE = '/pay/manage'
const TIER = examplePortal.tier.id
const ANSWER = { nonce: 'a'.repeat(32), signature: 'b'.repeat(88) }
const PORTAL_REQUESTS = {
  read: () => service.get(PAGE),
  cancel: () => service.post(`${PAGE}/cancel`, {}),
  pause: () => service.ask('POST', `${PAGE}/pause`),
  resume: () => service.ask('POST', `${PAGE}/resume`),
  'change-tier': () => service.post(`${PAGE}/change-tier`, { tier_id: TIER }),
  renew: () => service.ask('POST', `${PAGE}/renew`),
  revoke: () => service.ask('POST', `${PAGE}/revoke`),
  activate: () => service.post(`${PAGE}/activate`, { approval_id: 'one', transaction: 'AgEC' }),
} as const
const REQUESTS = {
  ...PORTAL_REQUESTS,
  manage: () => service.get(MANAGE),
  challenge: () => service.post(`${MANAGE}/challenge`, { wallet: SELLER_WALLET }),
  verify: () => service.post(`${MANAGE}/verify`, { wallet: SELLER_WALLET, ...ANSWER }),
} as const
const NAMES = Object.keys(REQUESTS).filter((name): name is keyof typeof REQUESTS => name in REQUESTS)
const shown = ({ status, body }: Answer) => [status, body]

describe('200 and 202', () => {
  it('the portal, with its fields in the order of the spec, and without what the business notes about the subscriber', async () => {
    const { status, body } = await REQUESTS.read()
    expect([status, Object.keys(body)]).toEqual([
      200,
      [
        'subscription',
        'merchant',
        'product',
        'tier',
        'options',
        'mint',
        'session',
        'recovery_url',
        'total_authorization',
        'revocable',
      ],
    ])
    expect(body).toMatchObject({
      merchant: { name: 'Corner Shop' },
      session: { expires_at: '2026-11-20T13:00:00.000Z', may_increase: true },
      recovery_url: 'https://pay.example.com/pay/manage',
      total_authorization: { usd_cents: 6_000, base_units: 60_000_000 },
      revocable: false,
    })
    expect(body.subscription).not.toHaveProperty('metadata')
    expect(body.product).not.toHaveProperty('external_id')
    expect([body.product.metadata, body.tier.metadata, body.options[0].metadata]).toEqual([{ roast: 'dark' }, {}, {}])
    expect(body.options[0]).toMatchObject({ payout_ata: exampleTier.payoutAta, platform_fee_bps: 0 })
    expect(given).toEqual(['po_token'])
  })

  it('a cancel keeps the period unless it says otherwise', async () => {
    const { status, body } = await REQUESTS.cancel()
    expect([status, body.subscription.cancel_at_period_end]).toEqual([200, true])
    expect(given).toEqual(['po_token', true])
    await service.post(`${PAGE}/cancel`, { at_period_end: false })
    expect(given).toEqual(['po_token', false])
  })

  it('a pause and a resume show the subscription', async () => {
    expect(shown(await REQUESTS.pause())).toMatchObject([200, { subscription: { status: 'paused' } }])
    expect(shown(await REQUESTS.resume())).toMatchObject([200, { subscription: { status: 'active' } }])
  })

  it('changed and renewed show the subscription and nothing else', async () => {
    for (const [name, outcome] of [
      ['change-tier', exampleChange],
      ['renew', { ...exampleChange, outcome: 'renewed' }],
    ] as const) {
      fakes = {
        changeTierInPortal: async () => exampleChange,
        renewInPortal: async () => ({ ...exampleChange, outcome: 'renewed' }),
      }
      const { status, body } = await REQUESTS[name]()
      expect([status, Object.keys(body), body.outcome]).toEqual([200, ['outcome', 'subscription'], outcome.outcome])
    }
  })

  it('proof_required shows the challenge and nothing else; the answer is passed on', async () => {
    const { nonce, message, input } = exampleChangeChallenge
    const challenge = { nonce, message, input, expires_at: '2026-11-20T12:10:00.000Z' }
    expect(shown(await REQUESTS['change-tier']())).toEqual([200, { outcome: 'proof_required', challenge }])
    await service.post(`${PAGE}/change-tier`, { tier_id: TIER, ...ANSWER, signed_message: 'AQID' })
    expect(given).toEqual(['po_token', TIER, { ...ANSWER, signedMessage: 'AQID' }])
    await service.post(`${PAGE}/renew`, ANSWER)
    expect(given).toEqual(['po_token', { ...ANSWER, signedMessage: null }])
  })

  it('approval_required shows the transaction in base64', async () => {
    if (exampleApproval.outcome !== 'approval_required') throw new Error('another example')
    expect(shown(await REQUESTS.renew())).toEqual([
      200,
      {
        outcome: 'approval_required',
        approval_id: exampleApproval.approve.approvalId,
        transaction: 'AhHLLA==',
        amount_base_units: 180_000_000,
        replaces_delegate: null,
        expires_at: '2026-11-20T12:01:00.000Z',
      },
    ])
  })

  it('a revocation is offered in base64, without an amount, and its end shows the subscription', async () => {
    expect(shown(await REQUESTS.revoke())).toEqual([
      200,
      {
        outcome: 'approval_required',
        approval_id: exampleRevocation.approvalId,
        transaction: 'AhHLLA==',
        expires_at: '2026-11-20T12:01:00.000Z',
      },
    ])
    expect(given).toEqual(['po_token'])
    fakes = { activateInPortal: async () => ({ ...exampleChange, outcome: 'revoked' }) }
    const { status, body } = await REQUESTS.activate()
    expect([status, Object.keys(body), body.outcome]).toEqual([200, ['outcome', 'subscription'], 'revoked'])
  })

  it('an approve that is final is 200, and one that is not final yet 202', async () => {
    const { status, body } = await REQUESTS.activate()
    expect([status, Object.keys(body), body.outcome]).toEqual([200, ['outcome', 'subscription'], 'renewed'])
    expect(given).toEqual(['po_token', { approvalId: 'one', transaction: Uint8Array.of(2, 1, 2) }])
    fakes = { activateInPortal: async () => null }
    expect(shown(await REQUESTS.activate())).toEqual([202, { status: 'confirmation_pending' }])
  })

  it('the recovery page names its two steps, which give a challenge and links', async () => {
    expect(shown(await REQUESTS.manage())).toEqual([
      200,
      {
        challenge_url: 'https://pay.example.com/pay/manage/challenge',
        verify_url: 'https://pay.example.com/pay/manage/verify',
      },
    ])
    const { body } = await REQUESTS.challenge()
    expect(Object.keys(body.challenge)).toEqual(['nonce', 'message', 'input', 'expires_at'])
    const verified = await REQUESTS.verify()
    expect(given).toEqual([SELLER_WALLET, { ...ANSWER, signedMessage: null }])
    expect([verified.status, verified.body.subscriptions.map(Object.keys)]).toEqual([
      200,
      [['subscription', 'merchant', 'product', 'tier', 'portal_url', 'expires_at']],
    ])
    expect(verified.body.subscriptions[0].portal_url).toBe(`https://pay.example.com/pay/m/${PORTAL_TOKEN}`)
  })
})

const RECOVERY = { recovery_url: 'https://pay.example.com/pay/manage' }
const MINTS = { tier_mint: 'a', platform_mint: 'b' }
const REFUSALS: readonly (readonly [status: number, code: ErrorCode, context: ErrorContext])[] = [
  [400, 'invalid_signature', {}],
  [400, 'incomplete_proof', {}],
  [400, 'invalid_tier_id', { field: 'tier_id' }],
  [400, 'invalid_subscriber_wallet', { field: 'wallet' }],
  [400, 'different_product', {}],
  [400, 'authorization_total_too_large', {}],
  [401, 'portal_session_expired', RECOVERY],
  [403, 'wallet_proof_required', {}],
  [404, 'portal_not_found', RECOVERY],
  [404, 'tier_not_found', {}],
  [409, 'same_tier', {}],
  [409, 'charge_in_progress', { charge_id: 'charge' }],
  [409, 'tier_archived', {}],
  [409, 'tier_mint_mismatch', MINTS],
  [409, 'nothing_to_renew', {}],
  [409, 'nothing_to_revoke', {}],
  [409, 'allowance_in_use', {}],
  [409, 'authorization_pending', {}],
  [409, 'authorization_required', {}],
  [409, 'authorization_exhausted', { status: 'revoked' }],
  [409, 'subscription_changed', {}],
  [409, 'subscription_incomplete', {}],
  [409, 'subscription_ended', { status: 'canceled' }],
  [409, 'subscription_paused', {}],
  [409, 'subscription_canceling', {}],
  [409, 'blockhash_expired', {}],
  [409, 'no_token_account', {}],
  [409, 'account_frozen', {}],
  [429, 'rate_limited', { retry_after_seconds: 7 }],
  [502, 'chain_unavailable', {}],
  [503, 'subscription_service_unavailable', {}],
]

const WAITS: Readonly<Record<number, string>> = { 429: '7', 502: '5' }

it.each(REFUSALS)('every route shows %d %s with its keys', async (status, code, context) => {
  refusal = new ServiceError(code, context)
  for (const name of NAMES) {
    const answer = await REQUESTS[name]()
    expect(shown(answer)).toEqual([status, { error: code, ...context }])
    expect(answer.headers.get('retry-after')).toBe(WAITS[status] ?? null)
  }
})

it.each(NAMES)('%s lets every page call it, no cache store it, and no token reach the log', async (name) => {
  const { headers } = await REQUESTS[name]()
  expect([headers.get('cache-control'), headers.get('access-control-allow-origin')]).toEqual(['no-store', '*'])
  expect(service.logLines.join('')).not.toContain('po_token')
})

describe('an input that cannot be read', () => {
  it.each([
    [`${PAGE}/cancel`, { at_period_end: 'yes' }, { error: 'invalid_request', field: 'at_period_end' }],
    [`${PAGE}/change-tier`, {}, { error: 'invalid_tier_id', field: 'tier_id' }],
    [`${PAGE}/change-tier`, { tier_id: TIER, nonce: 7 }, { error: 'incomplete_proof' }],
    [`${PAGE}/renew`, { signature: {} }, { error: 'incomplete_proof' }],
    [`${PAGE}/activate`, { approval_id: 'one' }, { error: 'invalid_signature' }],
    [`${PAGE}/activate`, { transaction: 'AgEC' }, { error: 'invalid_request', field: 'approval_id' }],
    [`${PAGE}/pause`, '{', { error: 'invalid_request' }],
    [`${PAGE}/revoke`, '{', { error: 'invalid_request' }],
    [`${MANAGE}/challenge`, {}, { error: 'invalid_subscriber_wallet', field: 'wallet' }],
    [`${MANAGE}/verify`, { wallet: 7 }, { error: 'invalid_subscriber_wallet', field: 'wallet' }],
  ])('%s %j is refused by its identifier, after what stops every request', async (path, body, expected) => {
    expect(shown(await service.post(path, body))).toEqual([400, expected])
    refusal = new ServiceError('portal_not_found', RECOVERY)
    expect(shown(await service.post(path, body))).toEqual([404, { error: 'portal_not_found', ...RECOVERY }])
  })
})

describe('limits and availability', () => {
  it('a token has 30 requests a minute over all its routes', async () => {
    const limited = await startTestService({
      services: { subscriptionPortal: examplePortalServices },
      settings: { rateLimits: DEFAULT_RATE_LIMITS },
    })
    for (let request = 0; request < 15; request += 1) {
      expect((await limited.get(PAGE)).status).toBe(200)
      expect((await limited.ask('POST', `${PAGE}/pause`)).status).toBe(200)
    }
    const { status, body } = await limited.post(`${PAGE}/renew`, {})
    expect([status, body]).toEqual([429, { error: 'rate_limited', retry_after_seconds: expect.any(Number) }])
    expect((await limited.get('/pay/m/po_other')).status).toBe(200)
    await limited.close()
  })

  it('every route is 503 while recurring billing is disabled, whatever its input is', async () => {
    const disabled = await startTestService({ services: { subscriptionPortal: createPortalServices(null) } })
    const unavailable = [503, { error: 'subscription_service_unavailable' }]
    for (const path of [PAGE, MANAGE]) expect(shown(await disabled.get(path))).toEqual(unavailable)
    for (const action of ['cancel', 'pause', 'resume', 'change-tier', 'renew', 'revoke', 'activate'])
      expect(shown(await disabled.post(`${PAGE}/${action}`, '{'))).toEqual(unavailable)
    for (const action of ['challenge', 'verify'])
      expect(shown(await disabled.post(`${MANAGE}/${action}`, '{'))).toEqual(unavailable)
    await disabled.close()
  })
})
