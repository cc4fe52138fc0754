// The type that a request declares for its body: RFC 9110, 8.3 and 8.6.
import type { IncomingMessage } from 'node:http'

type Head = Pick<IncomingMessage, 'headers'>

/** Returns whether the request has a body, which may be empty. */
export const declaresBody = ({ headers }: Head): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** Returns the type in lower case, without its parameters; empty without a Content-Type. */
export const mediaTypeOf = ({ headers }: Head): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** Returns whether the body is declared as JSON, such as `application/problem+json` (RFC 6839, 3.1). */
export function isJsonType(request: Head): boolean {
  const type = mediaTypeOf(request)
  return type === 'application/json' || type.endsWith('+json')
}
