// The places where a websocket client can put its credential. A browser cannot set a header of the upgrade request.
import { ServiceError } from '#core/errors.ts'

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/**
 * Returns the Authorization texts of a connection_init payload, or of a subscribe payload's extensions: GraphiQL sends
 * the headers of its editor as `headers` there. A field that is not a string is ignored.
 */
export function authorizationsIn(payload: unknown): readonly string[] {
  if (!isObject(payload)) return []
  const { headers } = payload
  return [...namedAuthorization(payload), ...(isObject(headers) ? namedAuthorization(headers) : [])]
}

const namedAuthorization = (fields: Fields): readonly string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    name.toLowerCase() === 'authorization' && typeof value === 'string' ? [value] : [],
  )

/**
 * Returns the credential, which may be given in several places; null for none. Throws `unauthenticated` on two
 * different credentials.
 */
export function agreedCredential(given: readonly (string | null)[]): string | null {
  const different = new Set(given.filter((one) => one !== null))
  if (different.size > 1) throw new ServiceError('unauthenticated')
  const [credential = null] = different
  return credential
}
