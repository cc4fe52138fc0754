// Every request that succeeds in a test is one that openapi.json states: the service refuses no client that keeps to the
// document for the form of its request, and the document has what the service reads.
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Endpoint } from '#http/endpoint.ts'
import { OPENAPI_FILE } from '#http/reply-check.ts'

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
export function requestFault({ method, path }: Pick<Endpoint, 'method' | 'path'>, given: Given): string | null {
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
