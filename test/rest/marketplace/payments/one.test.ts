import { expect, it } from 'vitest'
import { startTestMarketplace } from '../../../support/marketplace.ts'
import { withKey } from '../../../support/services.ts'

it('GET /marketplace/payments/:id shows the payment with its seller and the legs of its settlement', async () => {
  const bazaar = await startTestMarketplace()
  const [seller] = bazaar.sellers
  const payment = await bazaar.pay(seller, '2026-11-01T00:00:00.000Z', 24n, { reference: 'order-1' })
  const { status, body } = await bazaar.service.get(`/marketplace/payments/${payment.id}`, withKey())
  expect([status, body.error]).toEqual([200, undefined])
  expect(body).toMatchObject({
    id: payment.id,
    reference: 'order-1',
    status: 'swept',
    ticker: 'SOL',
    seller_account_id: seller.accountId,
    seller: { id: seller.accountId, name: 'Corner Shop', external_id: null },
    settlement: {
      destination_amount: 976,
      destination_ui: 0.000000976,
      legs: [
        { role: 'seller', amount: 976, amount_ui: 0.000000976 },
        { role: 'marketplace', amount: 24 },
        { role: 'refund', amount: 77 },
      ],
    },
  })
  const open = await bazaar.pay(seller, '2026-11-01T00:00:00.000Z')
  const answer = await bazaar.service.get(`/marketplace/payments/${open.id}`, withKey())
  expect([answer.status, answer.body.ticker, 'settlement' in answer.body]).toEqual([200, null, false])
  await bazaar.close()
})
