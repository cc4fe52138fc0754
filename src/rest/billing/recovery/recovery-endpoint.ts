import type { Definition, Endpoint } from '#http/endpoint.ts'
import { PAY_PATH } from '#http/pay-path.ts'
import { hostedEndpoint } from '#rest/billing/hosted-endpoint.ts'
import { RestPortalRecoveryDocument } from '#rest/documents.generated.ts'

export const RECOVERY_PATH = `${PAY_PATH}/manage`

/** Describes a route of the page at which a wallet gets links to its subscriptions. */
export const recoveryEndpoint = <Input, Variables, Result>(
  definition: Omit<Definition<Input, Variables, Result>, 'credential'>,
): Endpoint => hostedEndpoint({ read: RestPortalRecoveryDocument, variables: () => ({}) }, definition)
