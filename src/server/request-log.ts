// What the log of a business says of a request.
import type { Response } from 'express'
import type { ApiRequest } from '#core/accounts/api-request.ts'
import type { BusinessCredential, Principal } from '#graphql/principal.ts'
import { ERROR_CODE } from '#http/replies.ts'
import { withoutSecrets } from '#server/log.ts'
import type { Finished } from '#server/requests.ts'

/** What the handlers say of the request that they answer, for the log. */
type Said = { readonly principal?: Principal; readonly errorCode?: string }

const keyOf = ({ principal }: Said): { accountId: string; key: Extract<BusinessCredential, { kind: 'key' }> } | null =>
  principal?.kind === 'business' && principal.credential.kind === 'key'
    ? { accountId: principal.tenant.accountId, key: principal.credential }
    : null

/** Returns what is logged of a request; null for one without an API key. */
export function loggedOf(
  { method, route, status }: Finished,
  response: Pick<Response, 'getHeader'> & { readonly locals: Said & { readonly requestId?: string } },
  createdAt: Date,
): ApiRequest | null {
  const { locals } = response
  const found = keyOf(locals)
  if (found === null) return null
  const code = locals.errorCode ?? response.getHeader(ERROR_CODE)
  return {
    accountId: found.accountId,
    keyHint: found.key.hint,
    method,
    route,
    status,
    errorCode: typeof code === 'string' ? code : null,
    // A client chooses its id, and might send a secret as one.
    requestId: withoutSecrets(locals.requestId ?? ''),
    createdAt,
  }
}
