// The public schema: every noun is loaded, nothing else happens here. The operator's is in operator/schema.ts.
import { builder } from '#graphql/builder.ts'
import '#graphql/marketplace/stats.ts'
import '#graphql/payments/below.ts'
import '#graphql/payments/business.ts'
import '#graphql/payments/checkout.ts'
import '#graphql/payments/full-lists.ts'
import '#graphql/payments/history.ts'
import '#graphql/payments/list.ts'
import '#graphql/payments/payment-intent.ts'
import '#graphql/payments/live/subscriptions.ts'
import '#graphql/platform/config.ts'
import '#graphql/platform/health.ts'
import '#graphql/sandbox/simulated-deposit.ts'
import '#graphql/tokens/token.ts'

export const schema = builder.toSchema()
