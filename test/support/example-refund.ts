// A refund by a business, of the payment of the examples.
import { makeAddress } from '#core/chain/base58.ts'
import { SOL } from '#core/chain/types.ts'
import { makeBaseUnits, ZERO } from '#core/money/amounts.ts'
import { REFUND_LIFE_MS, type Refund } from '#core/refunds/refund.ts'
import { merchant, swept } from '../docs/example-payment.ts'

export const exampleRefund: Refund = {
  id: '4b7e2d5c-1f0a-4c3b-8e96-7d5a4b3c2f10',
  network: 'live',
  accountId: swept.accountId,
  callerAccountId: swept.callerAccountId,
  intentId: swept.id,
  chargeId: null,
  subscriptionId: null,
  part: 'payee',
  partOf: null,
  reverseFee: false,
  asset: SOL,
  decimals: 9,
  tokenProgram: null,
  amount: makeBaseUnits(66_666_666),
  paidAmount: ZERO,
  paidBy: [],
  signatures: [],
  payer: merchant,
  recipient: swept.refundSender ?? merchant,
  referenceKey: makeAddress('8RN7fPWYqsjcJDcZbrZ9cRRmWVXZuPAAxGDPYHM9vPnH'),
  label: swept.payeeLabel,
  reference: 'return-1001',
  reason: 'One book came back',
  status: 'open',
  problem: null,
  reading: { to: null, from: null, at: null, isLast: false },
  nextLookAt: swept.updatedAt,
  lookedAt: null,
  failedLooks: 0,
  createdSlot: null,
  closesAtSlot: null,
  version: 1,
  expiresAt: new Date(swept.updatedAt.getTime() + REFUND_LIFE_MS),
  createdAt: swept.updatedAt,
  updatedAt: swept.updatedAt,
  endedAt: null,
}
