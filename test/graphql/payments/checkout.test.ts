// The data that a client secret shows: the whole status of its payment, and nothing that only the business may see.
import { getNamedType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { schema } from '#graphql/schema.ts'
import { MINT, pendingIntent } from '../../support/example-intent.ts'
import { choice, OTHER_MINT, SOL_TOKEN, token, USDC, units } from '../../support/payment.ts'
import { CLIENT_SECRET, startTestService, type TestService } from '../../support/services.ts'
import { EVERY_CHECKOUT_FIELD, RECEIPT } from '../../support/wire.ts'

const CUSTOMER = { first_name: 'Ada', email: 'ada@example.com' }
const intent: PaymentIntent = { ...pendingIntent, customerDetails: CUSTOMER }
const DISALLOWED = token({ asset: OTHER_MINT, mint: OTHER_MINT, ticker: 'OTH', decimals: 2, enabled: false })

/** The payment of the client secret. */
let present = intent

let service: TestService
beforeAll(async () => {
  const answer = async () => present
  service = await startTestService({
    services: {
      intents: { checkoutStatus: answer, selectToken: answer, cancelByClientSecret: answer, updateDetails: answer },
      tokens: { allowed: async () => [USDC], known: async () => [SOL_TOKEN, USDC, DISALLOWED] },
      billing: { now: () => intent.createdAt },
      catalogue: { mayEmbed: async () => true },
    },
  })
})
afterAll(() => service.close())

const secret = `clientSecret: "${CLIENT_SECRET}"`
const fieldsOf = (name: string): string[] => {
  const type = schema.getType(name)
  return isObjectType(type) ? Object.keys(type.getFields()) : []
}

describe('a checkout', () => {
  it.each([
    `{ checkout(${secret}) { ${EVERY_CHECKOUT_FIELD} ${RECEIPT} } }`,
    `mutation { checkout: selectToken(${secret}, asset: "SOL") { ${EVERY_CHECKOUT_FIELD} ${RECEIPT} } }`,
    `mutation { checkout: cancelCheckout(${secret}) { ${EVERY_CHECKOUT_FIELD} ${RECEIPT} } }`,
    `mutation { checkout: updateCustomerDetails(${secret}, details: {}) { ${EVERY_CHECKOUT_FIELD} ${RECEIPT} } }`,
  ])('answers every field for a caller without a key: %s', async (query) => {
    const { body } = await service.graphql(query)
    expect(body.errors).toBeUndefined()
    expect(body.data.checkout).toMatchObject({
      id: intent.id,
      derivationIndex: 42,
      priceUsdCents: 2500,
      action: 'waiting',
      expiresInSeconds: 600,
      mayBeEmbeddedIn: true,
      customerDetails: { firstName: 'Ada', lastName: null },
      held: [],
    })
    expect(Object.keys(body.data.checkout).toSorted()).toEqual(fieldsOf('Checkout').toSorted())
  })

  it('has the fields of a payment, without the records and the histories of the business, and what its page shows', () => {
    const businessOnly = fieldsOf('PaymentIntent').filter((name) => !fieldsOf('Checkout').includes(name))
    expect(businessOnly.toSorted()).toEqual([
      'businessRefunds',
      'deposits',
      'events',
      'heldHistory',
      'latePaymentHistory',
      'metadata',
      'refundableAmount',
      'seller',
      'sellerAccountId',
      'settledLegs',
      'ticker',
      'tokenRefundHistory',
      'transfers',
      'unacceptedTokens',
      'underpaymentToleranceBps',
      'uuid',
    ])
    const ofPage = fieldsOf('Checkout').filter((name) => !fieldsOf('PaymentIntent').includes(name))
    expect(ofPage.toSorted()).toEqual([
      'acceptedTokens',
      'brand',
      'countedDeposits',
      'expiresInSeconds',
      'mayBeEmbeddedIn',
      'merchantName',
      'namedTokens',
    ])
  })

  it.each<[string, Partial<PaymentIntent>]>([
    ['was selected', { selection: choice(OTHER_MINT, 250n) }],
    ['was received', { tokenRefunds: [{ mint: OTHER_MINT, status: 'pending', amount: units(250n), refund: null }] }],
  ])('names a token that is no longer allowed and %s, and does not accept it', async (_, patch) => {
    present = { ...intent, acceptedAssets: [MINT, OTHER_MINT], ...patch }
    const tokens = 'acceptedTokens { ticker } namedTokens { asset ticker decimals }'
    const { body } = await service.graphql(`{ checkout(${secret}) { ${tokens} } }`)
    present = intent
    expect(body.data.checkout).toEqual({
      acceptedTokens: [{ ticker: 'USDC' }],
      namedTokens: [{ asset: OTHER_MINT, ticker: 'OTH', decimals: 2 }],
    })
  })

  it('leads to no type of the business', () => {
    const seen = new Set<string>()
    const walk = (name: string): void => {
      const type = schema.getType(name)
      if (seen.has(name) || !isObjectType(type)) return
      seen.add(name)
      for (const field of Object.values(type.getFields())) walk(getNamedType(field.type).name)
    }
    walk('Checkout')
    expect([...seen].toSorted()).toEqual([
      'AddressProposal',
      'AssetRefund',
      'Brand',
      'Checkout',
      'CountedDeposit',
      'CustomerDetails',
      'HeldMoney',
      'LatePayment',
      'LineItem',
      'MintTotal',
      'PostalAddress',
      'Receipt',
      'Refund',
      'RefundAddress',
      'Settlement',
      'SettlementLeg',
      'Token',
      'TokenRefund',
    ])
  })

  it('has no field for records of the business', async () => {
    const { body } = await service.graphql(`{ checkout(${secret}) { status deposits { amount } } }`)
    expect(body.errors[0].message).toContain('Cannot query field "deposits" on type "Checkout"')
  })
})
