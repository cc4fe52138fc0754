// The routes of the hosted checkout: what each answers, and what it refuses, by status and identifier.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { pricesOf, totalOf } from '#core/billing/discount.ts'
import { type ErrorCode, type ErrorContext, ServiceError } from '#core/errors.ts'
import { DEFAULT_RATE_LIMITS } from '#graphql/limits.ts'
import { createCheckoutServices } from '#services/billing/checkout/checkout.ts'
import type { CheckoutServices } from '#services/billing/checkout/checkout-services.ts'
import {
  exampleCheckout,
  exampleCoupon,
  examplePreparedApprove,
  examplePreparedProof,
} from '../../../support/example-billing.ts'
import { type Answer, startTestService, type TestService } from '../../../support/services.ts'

const { subscriptionId } = examplePreparedApprove
const pendingCharge = {
  status: 'pending',
  failureCode: null,
  failureMessage: null,
  recoveryAction: null,
  isGivenUp: false,
  signature: null,
  explorerUrl: null,
} as const

/** What the services answer, and what they were asked. */
let refusal: ServiceError | null = null
let given: unknown[] = []
let fakes: Partial<CheckoutServices> = {}
const usual: CheckoutServices = {
  readCheckout: async () => exampleCheckout,
  enterCoupon: async () => exampleCheckout,
  prepareCheckout: async () => examplePreparedApprove,
  activateCheckout: async () => ({ status: 'completed', subscriptionId }),
  confirmCheckout: async () => ({ status: 'completed', subscriptionId }),
  retryCheckout: async () => pendingCharge,
}
const answering =
  <Name extends keyof CheckoutServices>(name: Name) =>
  async (...asked: unknown[]) => {
    given = asked
    if (refusal !== null) throw refusal
    return await Reflect.apply({ ...usual, ...fakes }[name], undefined, asked)
  }

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    services: {
      subscriptionCheckout: {
        readCheckout: answering('readCheckout'),
        enterCoupon: answering('enterCoupon'),
        prepareCheckout: answering('prepareCheckout'),
        activateCheckout: answering('activateCheckout'),
        confirmCheckout: answering('confirmCheckout'),
        retryCheckout: answering('retryCheckout'),
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

const PAGE = '/pay/s/co_token'
const wallet = exampleCheckout.intent.subscriberWallet ?? ''
const PROOF = { wallet, nonce: 'a'.repeat(32), signature: 'b'.repeat(88) }
const REQUESTS = {
  read: () => service.get(PAGE),
  coupon: () => service.post(`${PAGE}/coupon`, { code: 'welcome' }),
  prepare: () => service.post(`${PAGE}/prepare`, { wallet }),
  activate: () => service.post(`${PAGE}/activate`, { subscription_id: subscriptionId, transaction: 'AgEC' }),
  confirm: () => service.post(`${PAGE}/confirm`, PROOF),
  retry: () => service.ask('POST', `${PAGE}/retry`),
} as const
const NAMES = Object.keys(REQUESTS).filter((name): name is keyof typeof REQUESTS => name in REQUESTS)
const shown = ({ status, body }: Answer) => [status, body]

describe('200 and 202', () => {
  it('the checkout, with its fields in the order of the spec', async () => {
    const { status, body } = await REQUESTS.read()
    expect([status, Object.keys(body)]).toEqual([
      200,
      [
        'status',
        'subscription_id',
        'first_charge',
        'merchant',
        'trial_days',
        'trial_ends_at',
        'product',
        'tier',
        'total_authorization',
        'mint',
        'subscriber_wallet',
        'wallet_pinned',
        'success_url',
        'cancel_url',
        'expires_at',
        'coupon',
        'accepts_coupons',
      ],
    ])
    expect(body).toMatchObject({
      merchant: { name: 'Corner Shop' },
      total_authorization: { usd_cents: 18_000, base_units: 180_000_000 },
    })
    expect(given).toEqual(['co_token'])
  })

  it('the checkout with the price of the coupon that is entered, and without one for null', async () => {
    const totalAuthorization = totalOf(exampleCheckout.tier, pricesOf(exampleCheckout.tier, exampleCoupon), 12)
    fakes = { enterCoupon: async () => ({ ...exampleCheckout, coupon: exampleCoupon, totalAuthorization }) }
    const { status, body } = await REQUESTS.coupon()
    expect([status, body.coupon, body.total_authorization]).toEqual([
      200,
      { code: 'WELCOME', percent_off: 50, amount_off_usd_cents: null, periods: 3, price_usd_cents: 750 },
      { usd_cents: 15_750, base_units: 157_500_000 },
    ])
    expect(given).toEqual(['co_token', 'welcome'])
    fakes = {}
    expect((await service.post(`${PAGE}/coupon`, { code: null })).body.coupon).toBeNull()
    expect(given).toEqual(['co_token', null])
  })

  it('a transaction to sign, in base64', async () => {
    expect(shown(await REQUESTS.prepare())).toEqual([
      200,
      {
        subscription_id: subscriptionId,
        requires_signature: true,
        trial_days: 0,
        total_authorization: { usd_cents: 18_000, base_units: 180_000_000 },
        transaction: 'AhHLLA==',
        amount_base_units: 180_000_000,
        delegate: examplePreparedApprove.delegate,
        replaces_delegate: null,
        expires_at: '2026-11-20T12:01:00.000Z',
      },
    ])
    expect(given).toEqual(['co_token', wallet])
  })

  it('a challenge, whose input wallets take as it is', async () => {
    fakes = { prepareCheckout: async () => examplePreparedProof }
    const { challenge } = examplePreparedProof
    const { nonce, message, input } = challenge
    expect(shown(await REQUESTS.prepare())).toEqual([
      200,
      {
        subscription_id: subscriptionId,
        requires_signature: false,
        trial_days: 0,
        total_authorization: { usd_cents: 18_000, base_units: 180_000_000 },
        challenge: { nonce, message, input, expires_at: '2026-11-20T12:10:00.000Z' },
      },
    ])
  })

  it('a product and a tier have every field that the business reads, but the external_id of the product', async () => {
    const { product, tier } = (await REQUESTS.read()).body
    const { id, name, description } = exampleCheckout.product
    const times = { archived_at: null, created_at: '2026-11-20T12:00:00.000Z', updated_at: '2026-11-20T12:00:00.000Z' }
    expect(product).toEqual({ id, name, description, status: 'active', metadata: { roast: 'dark' }, ...times })
    const { mint, tokenProgram, ...sold } = exampleCheckout.tier
    expect(tier).toEqual({
      id: sold.id,
      product_id: id,
      name: sold.name,
      description: null,
      price_usd_cents: 1_500,
      interval: 'month',
      interval_count: 1,
      authorization_periods: 12,
      trial_days: 0,
      total_authorization_usd_cents: 18_000,
      total_authorization_base_units: 180_000_000,
      mint,
      token_program: tokenProgram,
      decimals: 6,
      unit_base_units: 15_000_000,
      payout_owner: sold.payoutOwner,
      payout_ata: sold.payoutAta,
      platform_fee_bps: 0,
      platform_wallet: null,
      status: 'active',
      metadata: {},
      ...times,
    })
  })

  it('a completed checkout is 200, and one that is not final yet 202', async () => {
    const body = { status: 'completed', subscription_id: subscriptionId }
    expect(shown(await REQUESTS.activate())).toEqual([200, body])
    expect(given).toEqual(['co_token', { subscriptionId, transaction: Uint8Array.of(2, 1, 2) }])
    expect(shown(await REQUESTS.confirm())).toEqual([200, body])
    expect(given).toEqual(['co_token', { ...PROOF, signedMessage: null }])
    fakes = { activateCheckout: async () => ({ status: 'confirmation_pending', subscriptionId }) }
    expect(shown(await REQUESTS.activate())).toEqual([202, { ...body, status: 'confirmation_pending' }])
  })

  it('the bytes that a wallet signed are passed on', async () => {
    await service.post(`${PAGE}/confirm`, { ...PROOF, signed_message: 'AQID' })
    expect(given).toEqual(['co_token', { ...PROOF, signedMessage: 'AQID' }])
  })

  it('a retry is 202, with or without a body', async () => {
    const body = {
      first_charge: {
        status: 'pending',
        failure_code: null,
        failure_message: null,
        recovery_action: null,
        signature: null,
        explorer_url: null,
      },
    }
    expect(shown(await REQUESTS.retry())).toEqual([202, body])
    expect(shown(await service.post(`${PAGE}/retry`, {}))).toEqual([202, body])
  })
})

const REFUSALS: readonly (readonly [status: number, code: ErrorCode, context: ErrorContext, shown: object])[] = [
  [400, 'invalid_signature', { rule: 'not_signed' }, {}],
  [400, 'incomplete_proof', {}, {}],
  [400, 'invalid_subscriber_wallet', { field: 'wallet' }, { field: 'wallet' }],
  [400, 'authorization_total_too_large', {}, {}],
  [403, 'wallet_not_permitted', {}, {}],
  [404, 'checkout_not_found', {}, {}],
  [404, 'coupon_not_found', {}, {}],
  [409, 'coupon_ended', {}, {}],
  [409, 'coupon_not_for_product', {}, {}],
  [409, 'coupon_used_up', {}, {}],
  [404, 'subscription_not_found', {}, {}],
  [409, 'checkout_completed', {}, {}],
  [409, 'checkout_expired', {}, {}],
  [409, 'checkout_closed', {}, {}],
  [409, 'no_token_account', {}, {}],
  [409, 'account_frozen', {}, {}],
  [409, 'authorization_required', {}, {}],
  [409, 'authorization_pending', {}, {}],
  [409, 'blockhash_expired', {}, {}],
  [409, 'wallet_limit_reached', { limit: 50 }, { limit: 50 }],
  [409, 'charge_in_progress', { charge_id: 'c' }, { charge_id: 'c' }],
  [429, 'rate_limited', { retry_after_seconds: 7 }, { retry_after_seconds: 7 }],
  [502, 'chain_unavailable', {}, {}],
  [503, 'subscription_service_unavailable', {}, {}],
]

const WAITS: Readonly<Record<number, string>> = { 429: '7', 502: '5' }

describe.each(NAMES)('%s', (name) => {
  it.each(REFUSALS)('%d %s', async (status, code, context, keys) => {
    refusal = new ServiceError(code, context)
    const answer = await REQUESTS[name]()
    expect(shown(answer)).toEqual([status, { error: code, ...keys }])
    expect(answer.headers.get('retry-after')).toBe(WAITS[status] ?? null)
  })

  it('lets every page call it, and no cache store it', async () => {
    const { headers } = await REQUESTS[name]()
    expect([headers.get('cache-control'), headers.get('access-control-allow-origin')]).toEqual(['no-store', '*'])
  })

  it('writes no token to the log', async () => {
    await REQUESTS[name]()
    expect(service.logLines.join('')).not.toContain('co_token')
  })
})

describe('an input that cannot be read', () => {
  it.each([
    ['prepare', {}, { error: 'invalid_subscriber_wallet', field: 'wallet' }],
    ['prepare', { wallet: 7 }, { error: 'invalid_subscriber_wallet', field: 'wallet' }],
    ['activate', { transaction: 'AgEC' }, { error: 'invalid_request', field: 'subscription_id' }],
    ['activate', { subscription_id: subscriptionId }, { error: 'invalid_signature' }],
    ['activate', { subscription_id: subscriptionId, transaction: 7 }, { error: 'invalid_signature' }],
    ['confirm', { ...PROOF, wallet: null }, { error: 'invalid_subscriber_wallet', field: 'wallet' }],
    ['confirm', { ...PROOF, nonce: 7 }, { error: 'incomplete_proof' }],
    ['confirm', { ...PROOF, signature: {} }, { error: 'incomplete_proof' }],
    ['confirm', { ...PROOF, signed_message: [] }, { error: 'incomplete_proof' }],
    ['prepare', '{', { error: 'invalid_request' }],
    ['retry', '[]', { error: 'invalid_request' }],
  ])('%s %j is 400', async (action, body, expected) => {
    expect(shown(await service.post(`${PAGE}/${action}`, body))).toEqual([400, expected])
    refusal = new ServiceError('checkout_not_found')
    expect(shown(await service.post(`${PAGE}/${action}`, body))).toEqual([404, { error: 'checkout_not_found' }])
  })
})

describe('limits and availability', () => {
  it('a token has 30 requests a minute over all its routes', async () => {
    const limited = await startTestService({
      services: { subscriptionCheckout: usual },
      settings: { rateLimits: DEFAULT_RATE_LIMITS },
    })
    for (let request = 0; request < 15; request += 1) {
      expect((await limited.get(PAGE)).status).toBe(200)
      expect((await limited.post(`${PAGE}/prepare`, '{')).status).toBe(400)
    }
    const { status, headers, body } = await limited.post(`${PAGE}/confirm`, PROOF)
    expect([status, body]).toEqual([429, { error: 'rate_limited', retry_after_seconds: expect.any(Number) }])
    expect(headers.get('retry-after')).toBe(String(body.retry_after_seconds))
    expect((await limited.get('/pay/s/co_other')).status).toBe(200)
    await limited.close()
  })

  it('every route is 503 while recurring billing is disabled, whatever its input is', async () => {
    const disabled = await startTestService({ services: { subscriptionCheckout: createCheckoutServices(null) } })
    const unavailable = [503, { error: 'subscription_service_unavailable' }]
    expect(shown(await disabled.get(PAGE))).toEqual(unavailable)
    for (const action of ['prepare', 'activate', 'confirm', 'retry'])
      expect(shown(await disabled.post(`${PAGE}/${action}`, '{'))).toEqual(unavailable)
    await disabled.close()
  })
})
