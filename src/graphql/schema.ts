// The whole schema: every noun is loaded, nothing else happens here.
import { builder } from '#graphql/builder.ts'
import '#graphql/accounts/account.ts'
import '#graphql/accounts/api-key.ts'
import '#graphql/intents/business.ts'
import '#graphql/intents/checkout.ts'
import '#graphql/intents/history.ts'
import '#graphql/intents/list.ts'
import '#graphql/intents/payment-intent.ts'
import '#graphql/live/subscriptions.ts'
import '#graphql/platform/config.ts'
import '#graphql/platform/health.ts'
import '#graphql/platform/operator-status.ts'
import '#graphql/sandbox/sandbox.ts'
import '#graphql/tokens/token.ts'
import '#graphql/transfers/transfer.ts'
import '#graphql/webhooks/delivery.ts'

export const schema = builder.toSchema()
