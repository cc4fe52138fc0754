// A receipt that anyone can check, next to what it is about.
import { builder } from '#graphql/builder.ts'
import { countsAs, FIELDS_PER_POINT } from '#graphql/documents/cost.ts'
import type { SignedReceipt } from '#services/receipts/receipts.ts'

export const ReceiptType = builder.objectRef<SignedReceipt>('Receipt').implement({
  description: 'A signed receipt, which anyone can check by the keys at `/.well-known/jwks.json`.',
  fields: (t) => ({
    jws: t.exposeString('jws', { description: 'The receipt as a compact JWS, signed with EdDSA.' }),
    asOf: t.expose('asOf', { type: 'DateTimeISO', description: 'The last change that the receipt knows of.' }),
  }),
})

/** It is made from all deposits of a payment, and anyone can add deposits: a receipt costs a point of its own. */
export const RECEIPT_COST = countsAs(FIELDS_PER_POINT)
