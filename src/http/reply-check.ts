// Compares replies with openapi.json: those of a sandbox before they are sent, and those that the tests get.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { isRecord } from '#core/json.ts'
import { type Endpoint, type Reply, TextStream } from './endpoint.ts'

/** Returns how a reply of an endpoint differs from what the document says; null when it does not. */
export type ReplyCheck = (endpoint: Pick<Endpoint, 'method' | 'path'>, reply: Required<Reply>) => string | null

export const OPENAPI_FILE = join(import.meta.dirname, '../../openapi.json')
/** Ends what is said of a kind of reply that the document does not have for the endpoint. */
export const NOT_STATED = ' is not stated'
const JSON_TYPE = 'application/json'

/** Compiles the schema of a reply when the first one of its kind comes. */
export function createReplyCheck(): ReplyCheck {
  const document: unknown = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8'))
  const ajv = new Ajv2020({ strict: false })
  formats.default(ajv, ['date-time', 'uuid', 'double', 'int64'])
  for (const format of ['uint', 'uint64']) ajv.addFormat(format, true)
  ajv.addSchema(Object(closed(document)), 'openapi')
  return ({ method, path }, { status, headers, body }) => {
    const template = path.replace(/:(\w+)/g, '{$1}')
    const stated = placeOf(document, ['paths', template, method.toLowerCase(), 'responses', String(status)])
    if (stated === null) return `the status ${status}${NOT_STATED}`
    const codes = at(document, [...stated, 'headers', 'Error-Code', 'schema', 'enum'])
    const code = headers['Error-Code']
    if (code !== undefined && Array.isArray(codes) && !codes.includes(code))
      return `the code ${code} for ${status}${NOT_STATED}`
    const content = [...stated, 'content']
    if (body instanceof TextStream)
      return Object.keys(Object(at(document, content))).some((type) => body.type.startsWith(type)) ? null : body.type
    const check = ajv.getSchema(`openapi#${pointerTo([...content, JSON_TYPE, 'schema'])}`)
    if (check === undefined) return `JSON for ${status}${NOT_STATED}`
    return check(JSON.parse(JSON.stringify(body))) === true ? null : ajv.errorsText(check.errors)
  }
}

type Place = readonly string[]

const at = (value: unknown, place: Place): unknown =>
  place.reduce<unknown>((within, name) => (isRecord(within) ? within[name] : undefined), value)

/** Returns the place itself, or the one that it refers to; null where there is nothing. */
function placeOf(document: unknown, place: Place): Place | null {
  const found = at(document, place)
  if (found === undefined) return null
  const reference = at(found, ['$ref'])
  return typeof reference === 'string' ? reference.split('/').slice(1) : place
}

const pointerTo = (place: Place): string =>
  place.map((name) => `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')

/**
 * Returns a copy in which no object may have a field that its schema does not state. The document itself leaves that open,
 * because a later version may add fields. The parts of an object are closed together, where the object is.
 */
function closed(value: unknown, isPart = false): unknown {
  if (Array.isArray(value)) return value.map((each) => closed(each, isPart))
  if (!isRecord(value)) return value
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === 'schemas' ? mapped(Object(each), (schema) => closed(schema, true)) : closed(each, name === 'allOf'),
    ]),
  )
  const isObject = isRecord(value.properties) || Array.isArray(value.allOf) || typeof value.$ref === 'string'
  const isOpen = isPart || value.additionalProperties !== undefined
  return isObject && !isOpen ? { ...copy, unevaluatedProperties: false } : copy
}

const mapped = (record: object, change: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
