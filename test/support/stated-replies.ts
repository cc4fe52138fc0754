// Every reply of a test is one that openapi.json states, and so is every request that succeeds.
import { type Endpoint, TextStream } from '#http/endpoint.ts'
import { createReplyCheck, NOT_STATED } from '#http/reply-check.ts'
import { ROUTES } from '#rest/routes.ts'
import { requestFault } from './stated-requests.ts'

const check = createReplyCheck()
// Compiled before any test, some of which measure time.
for (const endpoint of ROUTES) check(endpoint, { status: 200, headers: {}, body: {} })
const PATTERNS = ROUTES.map((endpoint) => ({
  endpoint,
  pattern: new RegExp(`^${endpoint.path.replace(/[.]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`),
}))

export const endpointOf = (method: string, path: string): Endpoint | undefined =>
  PATTERNS.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(path.split('?')[0] ?? ''))
    ?.endpoint

/** Returns what differs in a reply of REST from what the document states; null where nothing does, and for other replies. */
export function faultOf(
  method: string,
  path: string,
  { status, type, code, text }: { status: number; type: string; code: string | null; text: string },
): string | null {
  const endpoint = endpointOf(method, path)
  // The pages have addresses of REST.
  if (endpoint === undefined || type.startsWith('text/html')) return null
  const body = type.startsWith('application/json') ? JSON.parse(text) : new TextStream(type, emptyText())
  return check(endpoint, { status, headers: Object.fromEntries(code === null ? [] : [['Error-Code', code]]), body })
}

/** Throws for a request that succeeds and has another form than the document states. */
export function requireStatedRequest(method: string, path: string, init: RequestInit): void {
  const endpoint = endpointOf(method, path)
  if (endpoint === undefined) return
  const body = typeof init.body === 'string' && init.body !== '' ? JSON.parse(init.body) : undefined
  const fault = requestFault(endpoint, { path, headers: new Headers(init.headers), body })
  if (fault !== null) throw new Error(`${method} ${path} succeeds with ${init.body}: ${fault}`)
}

/** Throws for a reply with a field or a value that the document does not state, or with a status that is no refusal. */
export function requireStated(method: string, path: string, { status, headers }: Response, text: string): void {
  const [type, code] = [headers.get('content-type') ?? '', headers.get('error-code')]
  const fault = faultOf(method, path, { status, type, code, text })
  // A test may have any service refuse by any code; the fuzzer compares the codes of a whole service.
  if (fault?.endsWith(NOT_STATED) === true && status >= 400) return
  if (fault !== null) throw new Error(`${method} ${path} answered ${status} ${text.slice(0, 300)}: ${fault}`)
}

async function* emptyText(): AsyncGenerator<string> {}
