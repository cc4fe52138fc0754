// Calls the service over HTTP, with one typed document for each request.
import type { ErrorCode } from '#core/errors.ts'
import { isRecord } from '#core/json.ts'
import type { TypedDocumentString } from './documents.generated.ts'
import { Failure, REFUSED, UNREACHABLE } from './failure.ts'

/** Throws Failure. */
export type Ask = <Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
) => Promise<Result>

/** A retry may wait for the chain; nothing takes longer than this. */
const TIMEOUT_MS = 60_000

export function createAsk(url: string, token: () => Promise<string>): Ask {
  return async (document, variables) => {
    const response = await post(url, await token(), JSON.stringify({ query: document.toString(), variables }))
    const answer: unknown = await response.json().catch(() => null)
    if (response.status === 404) throw notThere(url)
    if (!isRecord(answer)) throw strange(url)
    const [error] = Array.isArray(answer.errors) ? answer.errors : []
    if (error !== undefined) throw refusal(url, error)
    if (!holdsData<ResultOf<typeof document>>(answer, document.toString())) throw strange(url)
    return answer.data
  }
}

type ResultOf<Document> = Document extends TypedDocumentString<infer Result, unknown> ? Result : never

/** The root fields that the schema allows to be null. */
const NULLABLE: ReadonlySet<string> = new Set(['auditScope'])

/** Takes the answer as the type of its document when it has each root field: then the service executed this document. */
function holdsData<Result>(answer: Readonly<Record<string, unknown>>, document: string): answer is { data: Result } {
  const { data } = answer
  if (!isRecord(data)) return false
  return rootFieldsOf(document).every((field) => data[field] != null || (field in data && NULLABLE.has(field)))
}

/** Returns the names in the answer. Documents are printed, with the operation first and its fields indented by two spaces. */
const rootFieldsOf = (document: string): readonly string[] =>
  document.slice(0, document.indexOf('\n}')).match(/(?<=^ {2})\w+/gm) ?? []

async function post(url: string, token: string, body: string): Promise<Response> {
  try {
    return await fetch(`${url}/operator/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json' },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError')
      throw new Failure(`${url} did not answer within ${TIMEOUT_MS / 1_000} seconds`, UNREACHABLE, 'service_timeout')
    throw new Failure(
      `nothing answers at ${url}: start the service with npm start, or say where it is with --url`,
      UNREACHABLE,
    )
  }
}

const strange = (url: string): Failure =>
  new Failure(`what answers at ${url} is not this service: say where it is with --url`, UNREACHABLE, 'not_this_service')

const notThere = (url: string): Failure =>
  new Failure(
    `the operator's API is not at ${url}: with OPERATOR_PORT it has a port of its own; say where it is with --url`,
    UNREACHABLE,
    'not_this_service',
  )

const tokenRefused = (url: string): string =>
  `the service at ${url} does not take this operator token: pass the right one with --token or OPERATOR_TOKEN, ` +
  'or set DATA_DIR to the directory of the service that runs'

/** The service answers, but its database, chain or price feeds do not. */
const UNAVAILABLE: readonly ErrorCode[] = ['chain_unavailable', 'chain_stalled', 'database_unavailable']

/** Returns the message of a GraphQL error, with the facts next to its code. */
function refusal(url: string, error: unknown): Failure {
  const { message, extensions } = isRecord(error) ? error : {}
  const { code, ...facts } = isRecord(extensions) ? extensions : {}
  if (code === 'unauthenticated') return new Failure(tokenRefused(url), REFUSED, code)
  const shown = Object.entries(facts).map(([name, value]) => `${name}: ${String(value)}`)
  const text = typeof message === 'string' ? message : 'the service refused without saying why'
  const exitCode = UNAVAILABLE.some((one) => one === code) ? UNREACHABLE : REFUSED
  const whole = shown.length === 0 ? text : `${text} (${shown.join(', ')})`
  return new Failure(whole, exitCode, typeof code === 'string' ? code : undefined)
}
