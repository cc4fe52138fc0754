// The `error` of a refusal of recurring billing: an identifier in snake case. Spec: "Errors".
import { ERROR_MAP } from '#graphql/error-map.ts'
import { Refused } from '#graphql/executor.ts'
import { BadInput } from '#http/input.ts'

/** Refusals of the credential have one message on every route. Spec: "Authentication". */
const OF_CREDENTIAL: ReadonlySet<string> = new Set(['unauthenticated', 'seller_not_found', 'marketplace_disabled'])

/** Returns what to throw for a refusal: its code as the message, and the time that a limit asks for in the body. */
export function withIdentifier(error: unknown): unknown {
  if (!(error instanceof Refused) || error.shown.unexpected || OF_CREDENTIAL.has(error.shown.code)) return error
  const { code, status, shown, retryAfter } = error.shown
  const wait = status === 429 && retryAfter !== null ? { ...shown, retry_after_seconds: retryAfter } : shown
  return new Refused({ ...error.shown, message: code, shown: wait }, { cause: error.cause })
}

const isCode = (rule: string): rule is keyof typeof ERROR_MAP => Object.hasOwn(ERROR_MAP, rule)

/**
 * Returns the refusal of an input that cannot be read. The rule of a field in these routes is the identifier of its refusal.
 * Another input, such as a body that is not JSON, is `invalid_request`.
 */
export function identifierOf(error: Error): Refused {
  const { field = null, rule = '' } = error instanceof BadInput ? error : {}
  const code = isCode(rule) ? rule : 'invalid_request'
  const showsField = code === 'invalid_request' || ERROR_MAP[code].shows?.includes('field') === true
  return new Refused(
    {
      code,
      status: ERROR_MAP[code].status,
      message: code,
      shown: showsField && field !== null ? { field } : {},
      retryAfter: null,
      unexpected: false,
    },
    { cause: error },
  )
}
