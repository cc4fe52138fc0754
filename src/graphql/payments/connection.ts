// A page of payments, as each list of payments gives it.
import { builder } from '#graphql/builder.ts'
import { connectionNames } from '#graphql/page.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'

const [connection, edge] = connectionNames('PaymentIntent')

export const PaymentIntentEdge = builder.edgeObject({ type: PaymentIntentNode, ...edge })
export const PaymentIntentConnection = builder.connectionObject(
  { type: PaymentIntentNode, ...connection },
  PaymentIntentEdge,
)
