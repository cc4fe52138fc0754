// Every reply of a test is one that openapi.json states.
import { type Endpoint, TextStream } from '#http/endpoint.ts'
import { createReplyCheck, NOT_STATED } from '#http/reply-check.ts'
import { ROUTES } from '#rest/routes.ts'

const check = createReplyCheck()
// Compiled before any test, some of which measure time.
for (const endpoint of ROUTES) check(endpoint, { status: 200, headers: {}, body: {} })
const PATTERNS = ROUTES.map((endpoint) => ({
  endpoint,
  pattern: new RegExp(`^${endpoint.path.replace(/[.]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`),
}))

const endpointOf = (method: string, path: string): Endpoint | undefined =>
  PATTERNS.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(path.split('?')[0] ?? ''))
    ?.endpoint

/** Throws for a reply of REST with a field or a value that the document does not state, or another status than 4xx and 5xx. */
export function requireStated(method: string, path: string, { status, headers }: Response, text: string): void {
  const endpoint = endpointOf(method, path)
  const type = headers.get('content-type') ?? ''
  // The pages have addresses of REST.
  if (endpoint === undefined || type.startsWith('text/html')) return
  const code = headers.get('error-code')
  const body = type.startsWith('application/json') ? JSON.parse(text) : new TextStream(type, emptyText())
  const reply = { status, headers: Object.fromEntries(code === null ? [] : [['Error-Code', code]]), body }
  const fault = check(endpoint, reply)
  // A test may have any service refuse by any code; the fuzzer compares the codes of a whole service.
  if (fault?.endsWith(NOT_STATED) === true && status >= 400) return
  if (fault !== null) throw new Error(`${method} ${path} answered ${status} ${text.slice(0, 300)}: ${fault}`)
}

async function* emptyText(): AsyncGenerator<string> {}
