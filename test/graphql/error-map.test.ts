import { readFileSync } from 'node:fs'
import { GraphQLError } from 'graphql'
import { describe, expect, it } from 'vitest'
import { ERROR_CODES, ServiceError } from '#core/errors.ts'
import { ERROR_MAP, ERROR_SECTIONS } from '#graphql/error-map.ts'
import { createErrors } from '#graphql/public-error.ts'
import { errorsPage } from '../../scripts/errors-page.ts'

/** All statuses of the spec's section "Errors", and that of an image above its limit. docs/contract.md, "Errors". */
const DOCUMENTED = [400, 401, 403, 404, 409, 413, 429, 502, 503]

const reported: unknown[] = []
const errors = createErrors(
  (error) => (error instanceof TypeError ? 'database_unavailable' : null),
  (error) => reported.push(error),
)

describe('a refusal', () => {
  it.each(ERROR_CODES)('%s has a documented status and a text', (code) => {
    const shown = errors.show(new ServiceError(code), 'r-1')
    expect(DOCUMENTED).toContain(shown.status)
    expect(shown.message).toMatch(/\S/)
    expect(shown.message).not.toBe(code)
  })

  it.each([
    ['invalid_client_secret', 401],
    ['unauthenticated', 401],
    ['token_not_accepted_on_platform', 400],
    ['intent_expired', 400],
    ['asset_not_accepted', 400],
    ['amount_too_small', 400],
    ['amount_too_large', 400],
    ['seller_not_found', 404],
    ['intent_not_found', 404],
    ['selection_frozen', 409],
    ['not_quotable', 409],
    ['details_frozen', 409],
    ['sweep_destination_missing', 409],
    ['rate_limited', 429],
    ['price_feed_unreachable', 502],
    ['chain_unavailable', 502],
    ['chain_stalled', 502],
    ['price_feeds_disagree', 503],
    ['database_unavailable', 503],
  ] as const)('%s answers %i', (code, status) => {
    expect(ERROR_MAP[code].status).toBe(status)
  })

  it('shows only the documented fields of its context', () => {
    const shown = errors.showGraphQL(
      new ServiceError('mint_not_supported', { extension: 'transfer-hook', rpc: 'x' }),
      '',
    )
    expect(shown.extensions).toEqual({ code: 'mint_not_supported', extension: 'transfer-hook' })
  })

  it('names the wrong field', () => {
    expect(errors.show(new ServiceError('invalid_request', { field: 'cursor' }), '').message).toBe(
      'cursor is not valid',
    )
  })

  it.each([
    [new ServiceError('invalid_request', { field: 'accepted_tokens', rule: 'is too long' }), 'acceptedAssets'],
    [new ServiceError('invalid_request', { field: 'support_url' }), 'supportUrl'],
    [new GraphQLError('Variable "$wallet" got invalid value "x"; SolanaAddress is none.'), 'wallet'],
    [
      new GraphQLError('Variable "$input" got invalid value 0 at "input.amountUsdCents"; UsdCents is none.'),
      'amountUsdCents',
    ],
    [new GraphQLError('Variable "$name" of required type "Line!" was not provided.'), 'name'],
    [new ServiceError('invalid_request', { rule: 'has nothing to update' }), undefined],
  ])('names the wrong field in GraphQL: %#', (refused, field) => {
    expect(errors.showGraphQL(refused, '').extensions).toEqual({ code: 'invalid_request', ...(field && { field }) })
  })

  it('shows when a repeat can succeed', () => {
    const { extensions } = errors.showGraphQL(new ServiceError('rate_limited', { retry_after_seconds: 3 }), '')
    expect(extensions).toEqual({ code: 'rate_limited', retryAfter: 3 })
  })
})

describe('a message', () => {
  it.each([
    ['invalid_client_secret', 'invalid client_secret', 'invalid clientSecret'],
    [
      'token_not_accepted_on_platform',
      'a token in accepted_tokens is not accepted on this platform',
      'a token in acceptedAssets is not accepted on this platform',
    ],
  ] as const)('of %s names fields as REST does, and as GraphQL does', (code, rest, graphql) => {
    const error = new ServiceError(code)
    expect(errors.show(error, '').message).toBe(rest)
    expect(errors.showGraphQL(error, '').message).toBe(graphql)
  })

  it('to a caller of GraphQL has no field in snake case', () => {
    const context = { field: 'webhook_url', smallest: '1', largest: '2' }
    for (const code of ERROR_CODES) {
      expect(errors.showGraphQL(new ServiceError(code, context), '').message).not.toMatch(/[a-z]_[a-z]/)
    }
  })
})

describe('the table', () => {
  it('has one convention for codes, and a meaning and a remedy for each', () => {
    for (const [code, { meaning, remedy }] of Object.entries(ERROR_MAP)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
      for (const sentence of [meaning, remedy]) expect(sentence).toMatch(/^[A-Z`].*\.$/s)
    }
  })

  it('has a time to wait for each 502 and 503, unless a repeat cannot succeed by itself', () => {
    const without = Object.entries(ERROR_MAP).filter(
      ([, { status, retryAfter }]) => (status === 502 || status === 503) && retryAfter === undefined,
    )
    expect(without.map(([code]) => code).toSorted()).toEqual([
      'chain_stalled',
      'platform_wallet_unconfigured',
      'subscription_service_unavailable',
    ])
  })

  it('has every code in one section', () => {
    const codes = ERROR_SECTIONS.flatMap(({ errors: rows }) => Object.keys(rows))
    expect(codes.toSorted()).toEqual(Object.keys(ERROR_MAP).toSorted())
  })

  it('matches docs/errors.md', () => {
    expect(readFileSync('docs/errors.md', 'utf8')).toBe(errorsPage())
  })
})

describe('a failure', () => {
  const thrown = new GraphQLError('select * from secrets', { originalError: new Error('select * from secrets') })

  it('shows its request id and nothing of its cause', () => {
    const shown = errors.showGraphQL(thrown, 'r-7')
    expect(JSON.stringify(shown)).toBe(
      '{"message":"internal error","extensions":{"code":"internal_error","requestId":"r-7"}}',
    )
    expect(shown.originalError).toBeUndefined()
  })

  it('goes to the log', () => {
    errors.show(thrown, 'r-8')
    expect(reported.at(-1)).toBe(thrown.originalError)
  })

  it('of the database or the chain is an outage, not an internal error', () => {
    expect(errors.show(new TypeError('away'), 'r-9')).toMatchObject({ status: 503, code: 'database_unavailable' })
  })
})
