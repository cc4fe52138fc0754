// The operator's whole schema: every noun is loaded, nothing else happens here.
import { builder } from '#graphql/operator/builder.ts'
import '#graphql/operator/account.ts'
import '#graphql/operator/api-key.ts'
import '#graphql/operator/audit.ts'
import '#graphql/operator/custodian.ts'
import '#graphql/operator/delivery.ts'
import '#graphql/operator/halt.ts'
import '#graphql/operator/health.ts'
import '#graphql/operator/held.ts'
import '#graphql/operator/marketplace.ts'
import '#graphql/operator/sandbox.ts'
import '#graphql/operator/stats-audit.ts'
import '#graphql/operator/status.ts'
import '#graphql/operator/token.ts'
import '#graphql/operator/transfer.ts'
import '#graphql/operator/unaccepted.ts'

export const operatorSchema = builder.toSchema()
