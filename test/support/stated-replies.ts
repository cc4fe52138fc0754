// Every reply of a test is one that openapi.json states, and so is every request that succeeds.

import { appendFileSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { type Endpoint, TextStream } from '#http/endpoint.ts'
import { createReplyCheck, NOT_STATED, OPENAPI_FILE } from '#http/reply-check.ts'
import { ROUTES } from '#rest/routes.ts'

// Every request that succeeds in a test is one that openapi.json states: the service refuses no client that keeps to the
// document for the form of its request, and the document has what the service reads.

const document = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8'))

function createAjv(coerceTypes: boolean): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, coerceTypes })
  formats.default(ajv, ['date-time', 'uuid', 'double', 'int64', 'uri'])
  return ajv.addFormat('uint64', true).addSchema(document, 'openapi')
}
const [ofBodies, ofTexts] = [createAjv(false), createAjv(true)]

/** Returns what is wrong with a value, by the schema at a place of the document. */
function faultAt(ajv: Ajv2020, place: readonly (string | number)[], value: unknown): string | null {
  const pointer = place.map(
    (name) => `/${encodeURIComponent(String(name).replaceAll('~', '~0').replaceAll('/', '~1'))}`,
  )
  const check = ajv.getSchema(`openapi#${pointer.join('')}`)
  if (check === undefined) throw new Error(`openapi.json has nothing at ${place.join(' ')}`)
  return check(value) === true ? null : ajv.errorsText(check.errors)
}

type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly style?: string
  readonly schema?: { readonly type?: unknown }
}
type Given = { readonly path: string; readonly headers: Headers; readonly body: unknown }

/** The service reads these too; the document has one way to write a flag. */
const FLAGS: Readonly<Record<string, string>> = { 1: 'true', 0: 'false' }

function givenTo({ name, in: from, style, schema }: Parameter, { path, headers }: Given): unknown {
  if (from === 'header') return headers.get(name) ?? undefined
  const query = [...new URLSearchParams(path.split('?')[1] ?? '')]
  if (style === 'deepObject') {
    const inside = query
      .filter(([key]) => key.startsWith(`${name}[`))
      .map(([key, value]) => [key.slice(name.length + 1, -1), value])
    return inside.length === 0 ? undefined : Object.fromEntries(inside)
  }
  const [, value] = query.find(([key]) => key === name) ?? []
  if (schema?.type === 'boolean' && value !== undefined) return FLAGS[value] ?? value
  return style === 'form' ? value?.split(',') : value
}

/** Returns how a request differs from what the document states for its endpoint; null where it does not. */
function requestFault({ method, path }: Pick<Endpoint, 'method' | 'path'>, given: Given): string | null {
  const place = ['paths', path.replace(/:(\w+)/g, '{$1}'), method.toLowerCase()]
  const { parameters = [], requestBody } = document.paths[place[1] ?? ''][place[2] ?? '']
  for (const [at, stated] of parameters.entries()) {
    const reference: string[] | undefined = stated.$ref?.split('/').slice(1)
    const parameter: Parameter = reference === undefined ? stated : document.components.parameters[reference[2] ?? '']
    if (parameter.in === 'path') continue
    const value = givenTo(parameter, given)
    const fault =
      value === undefined ? null : faultAt(ofTexts, [...(reference ?? [...place, 'parameters', at]), 'schema'], value)
    if (value === undefined ? parameter.required === true : fault !== null)
      return `the parameter ${parameter.name} ${fault ?? 'is missing'}`
  }
  if (given.body !== undefined && requestBody === undefined) return 'no body is stated'
  if (requestBody?.content['application/json'] === undefined) return null
  if (given.body === undefined) return requestBody.required === true ? 'the body is missing' : null
  return faultAt(ofBodies, [...place, 'requestBody', 'content', 'application/json', 'schema'], given.body)
}

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

// Requests that succeed and their replies, one a line, in the file that EXCHANGES names: `npm run prism` replays them.

export type Exchange = {
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [string, string])[]
  /** In base64. */
  readonly body: string | null
  readonly status: number
  readonly replyHeaders: readonly (readonly [string, string])[]
  readonly reply: string
}

const file = process.env.EXCHANGES

export async function keepExchange(path: string, init: RequestInit, response: Response, reply: string): Promise<void> {
  if (file === undefined || !response.ok) return
  const { method = 'GET', headers, body } = init
  const bytes = body == null ? null : Buffer.from(await new Response(body).arrayBuffer())
  const exchange: Exchange = {
    method,
    path,
    headers: [...new Headers(headers)],
    body: bytes?.toString('base64') ?? null,
    status: response.status,
    replyHeaders: [...response.headers],
    reply,
  }
  appendFileSync(file, `${JSON.stringify(exchange)}\n`)
}
