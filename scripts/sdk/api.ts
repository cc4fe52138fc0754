// Writes the typed part of the client, sdk/src/generated/api.ts, from openapi.json.
import type { Schema } from '../openapi/schema.ts'
import { docOf, type Field, fieldOf, isAmount, isFreeForm, typeOf } from './types.ts'

// The names of the client's methods. They derive from the path, the method and the id of an operation, so that a new endpoint has one
// without a line here.

/** Groups of endpoints whose paths do not show what they are about. */
const RESOURCES: readonly (readonly [path: RegExp, resource: string])[] = [
  [/^\/(?:intents|status|sweep|cancel|payments)$/, 'payments'],
  [/^\/payments(?=\/)/, 'payments'],
  [/^\/intents(?=\/)/, 'checkout'],
  [/^\/pay\/s(?=\/)/, 'subscription-checkout'],
  [/^\/pay\/m(?=\/)/, 'subscription-portal'],
  [/^\/pay\/manage/, 'portal-recovery'],
]

type Named = {
  readonly method: string
  readonly path: string
  readonly id: string
  readonly isList: boolean
  /** Whether another operation has a longer path that begins with this one, or the same path. */
  readonly isResource: boolean
}

const camel = (text: string): string => text.replace(/[-_](\w)/g, (_all, letter: string) => letter.toUpperCase())

const isParameter = (part: string | undefined): boolean => part?.startsWith('{') === true

/** Returns the place of a method in the client, such as `['webhookEndpoints', 'rotateSecret']`. */
function placeOf({ method, path, id, isList, isResource }: Named): readonly string[] {
  const [pattern, resource] = RESOURCES.find(([one]) => one.test(path)) ?? []
  const rest = pattern === undefined ? path : path.replace(pattern, '')
  const parts = rest.split('/').filter((part) => part !== '')
  const own = resource === undefined ? [] : [camel(resource)]
  const last = parts.at(-1)
  const named = parts.filter((part) => !isParameter(part)).map((part) => camel(part.replace(/\.\w+$/, '')))
  const [verb = id] = /^[a-z]+/.exec(id) ?? []

  if (isList) return [...own, ...named, 'list']
  if (isParameter(last)) return [...own, ...named, method === 'GET' ? 'get' : verb]
  const isAction = parts.some(isParameter) && method !== 'GET'
  if (isAction && (method === 'PUT' || method === 'DELETE'))
    return [...own, ...named.slice(0, -1), `${verb}${upperFirst(named.at(-1) ?? '')}`]
  if (verb === 'create') return [...own, ...named, 'create']
  if (resource !== undefined && named.length === 0) return [...own, nameAtTop(path, verb)]
  if (isResource && !isAction) return [...own, ...named, method === 'GET' ? 'get' : verb]
  return [...own, ...named]
}

/** Names what the whole path is: `GET /status` is `payments.status`, and `GET /intents`, which the id calls `findIntent`, `payments.find`. */
function nameAtTop(path: string, verb: string): string {
  const name = path.split('/').at(-1) ?? ''
  return name === 'intents' ? verb : name === 'manage' ? 'get' : camel(name)
}

type Document = Schema & { readonly components: { readonly schemas: Readonly<Record<string, Schema>> } }

type Operation = {
  readonly method: string
  readonly path: string
  readonly id: string
  readonly summary: string
  /** Parameters of the path, in order. */
  readonly inPath: readonly Schema[]
  readonly inQuery: readonly Schema[]
  readonly takesKey: boolean
  readonly takesSeller: boolean
  readonly body: Schema | null
  readonly needsBody: boolean
  readonly takesImage: boolean
  readonly isTextStream: boolean
  /** The replies that are successes, each once. */
  readonly replies: readonly Schema[]
}

/** Returns the source of the module. Throws where a name would be an amount in one place and something else in another. */
export function apiSource(document: Document): string {
  const operations = operationsOf(document)
  const paths = operations.map(({ path }) => path)
  const methods = operations.map((operation) => {
    const list = listOf(operation)
    const { path } = operation
    const isResource =
      paths.some((other) => other.startsWith(`${path}/`)) || paths.filter((one) => one === path).length > 1
    return { place: placeOf({ ...operation, isList: list !== null, isResource }), operation, list }
  })
  const { amounts, free } = convertedNames(document)
  return [
    HEAD,
    `export const API_VERSION = ${JSON.stringify(Object(document.info).version)}`,
    `/** The fields that are amounts, wherever they occur. */\nexport const AMOUNTS: ReadonlySet<string> = new Set(${JSON.stringify(amounts)})`,
    `/** The fields whose values are any JSON, in which nothing is converted. */\nexport const FREE_FORM: ReadonlySet<string> = new Set(${JSON.stringify(free)})`,
    `/** The codes of refusals. */\nexport type ErrorCode = ${errorCodes(document)
      .map((code) => JSON.stringify(code))
      .join(' | ')}`,
    ...Object.entries(document.components.schemas).map(
      ([name, schema]) => `${docOf(schema.description)}export type ${name} = ${typeOf(schema, 'received')}`,
    ),
    ...operations.flatMap(namedTypes),
    `/** Every endpoint, by what it is about. */\nexport class Api {\nreadonly #call: Call\nconstructor(call: Call) {\nthis.#call = call\n}\n${members(methods)}\n}`,
    '',
  ].join('\n\n')
}

const HEAD = `// Written by \`npm run generate\` from openapi.json.
import type { Call } from '../call.ts'
import type { List } from '../list.ts'
import type { CreateOptions, RequestOptions, SellerOptions } from '../options.ts'

const part = encodeURIComponent`

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

function operationsOf(document: Document): readonly Operation[] {
  const resolved = (schema: unknown): Schema => {
    const { $ref } = Object(schema)
    return typeof $ref === 'string'
      ? $ref
          .split('/')
          .slice(1)
          .reduce((within, name) => Object(Object(within)[name]), Object(document))
      : Object(schema)
  }
  return Object.entries(Object(document.paths)).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const stated = Object(item)[method]
      if (stated === undefined) return []
      const parameters: readonly Schema[] = [stated.parameters ?? []].flat().map(resolved)
      const content = Object(Object(stated.requestBody).content)
      const successes = Object.entries(Object(stated.responses)).filter(([status]) => status.startsWith('2'))
      const replies = successes.map(([, response]) => Object(resolved(response).content))
      const json: readonly Schema[] = replies.flatMap((reply) => reply['application/json']?.schema ?? [])
      return {
        method: method.toUpperCase(),
        path,
        id: String(stated.operationId),
        summary: String(stated.description),
        inPath: parameters.filter((one) => one.in === 'path'),
        inQuery: parameters.filter((one) => one.in === 'query'),
        takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
        takesSeller: parameters.some(({ name }) => name === 'X-Platform-On-Behalf-Of'),
        body: content['application/json']?.schema ?? null,
        needsBody: Object(stated.requestBody).required === true,
        takesImage: 'image/png' in content,
        isTextStream: json.length === 0,
        replies: [...new Map(json.map((schema) => [JSON.stringify(schema), schema])).values()],
      }
    }),
  )
}

const upperFirst = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase())

type ListOf = { readonly field: string; readonly item: string; readonly cursor: string }

/** Returns what a list has: a page of it is an object with one array, and with the cursor of the next page where there are several. */
function listOf({ method, replies, inQuery }: Operation): ListOf | null {
  const [reply] = replies
  const properties = Object.entries(Object(reply?.properties))
  const [first, second] = properties.filter(([, schema]) => Object(schema).type === 'array')
  const isPaged = properties.some(([name]) => name === 'next_cursor')
  if (method !== 'GET' || first === undefined || second !== undefined || !(isPaged || properties.length === 1))
    return null
  const [field, schema] = first
  const cursor = inQuery.some(({ name }) => name === 'after') ? 'after' : 'cursor'
  return { field, item: typeOf(Object(Object(schema).items), 'received'), cursor }
}

const paramsName = ({ id }: Operation): string => `${upperFirst(id)}Params`
const resultName = ({ id }: Operation): string => `${upperFirst(id)}Result`

function fieldsSent({ body, inQuery }: Operation): readonly Field[] {
  const ofBody = Object.entries(Object(body?.properties)).map(([name, schema]) => ({
    name,
    schema: Object(schema),
    isRequired: [body?.required].flat().includes(name),
  }))
  const ofQuery = inQuery.map(({ name, description, schema, required }) => ({
    name: String(name),
    schema: { ...Object(schema), description },
    isRequired: required === true,
  }))
  return [...ofBody, ...ofQuery]
}

/** Declares the parameters and the result of an operation, unless the result is a named schema. */
function namedTypes(operation: Operation): readonly string[] {
  const fields = fieldsSent(operation)
  const { replies } = operation
  return [
    ...(fields.length === 0
      ? []
      : [`export type ${paramsName(operation)} = {\n${fields.map((field) => fieldOf(field, 'sent')).join('\n')}\n}`]),
    ...(replies.length === 0 || isNamed(replies)
      ? []
      : [`export type ${resultName(operation)} = ${replies.map((reply) => typeOf(reply, 'received')).join(' | ')}`]),
  ]
}

const isNamed = (replies: readonly Schema[]): boolean => replies.length === 1 && replies[0]?.$ref !== undefined
const resultOf = (operation: Operation): string =>
  isNamed(operation.replies) ? typeOf(operation.replies[0] ?? {}, 'received') : resultName(operation)

type Method = { readonly place: readonly string[]; readonly operation: Operation; readonly list: ListOf | null }
type Branch = { [name: string]: Branch | Method }

function members(methods: readonly Method[]): string {
  const tree: Branch = {}
  for (const method of methods) {
    const within = method.place.slice(0, -1).reduce<Branch>((branch, name) => {
      const below = branch[name]
      if (below !== undefined && !isMethod(below)) return below
      const made: Branch = {}
      branch[name] = made
      return made
    }, tree)
    const own = method.place.at(-1) ?? ''
    if (within[own] !== undefined) throw new Error(`two operations would be ${method.place.join('.')}`)
    within[own] = method
  }
  return Object.entries(tree)
    .map(([name, member]) => memberOf(name, member, ' = ', '', 'readonly '))
    .join('\n')
}

const isMethod = (member: Branch | Method): member is Method => Array.isArray(member.place)

function memberOf(name: string, member: Branch | Method, sign: string, end: string, modifier = ''): string {
  if (isMethod(member)) return `${docOf(docText(member))}${modifier}${name}${sign}${functionOf(member)}${end}`
  const below = Object.entries(member).map(([own, one]) => memberOf(own, one, ': ', ','))
  return `${modifier}${name}${sign}{\n${below.join('\n')}\n}${end}`
}

const docText = ({ operation: { summary, method, path } }: Method): string => `${summary}\n\n\`${method} ${path}\``

function functionOf({ operation, list }: Method): string {
  const { method, path, inPath, takesKey, takesSeller, takesImage, isTextStream, needsBody } = operation
  const fields = fieldsSent(operation)
  const isOptional = fields.every(({ isRequired }) => !isRequired) && !needsBody
  const hasParams = fields.length > 0 || takesImage
  const options = [takesKey ? 'CreateOptions' : 'RequestOptions', ...(takesSeller ? ['SellerOptions'] : [])].join(' & ')
  const given = takesImage ? 'image: Blob' : `params${isOptional ? '?' : ''}: ${paramsName(operation)}`
  const parameters = [
    ...inPath.map(({ name }) => `${String(name)}: string`),
    ...(hasParams ? [given] : []),
    `options?: ${options}`,
  ].join(', ')
  const address = `\`${path.replace(/\{(\w+)\}/g, (_all, name: string) => `\${part(${name})}`)}\``
  const sent = takesImage ? 'image' : hasParams ? 'params' : 'undefined'
  if (list !== null)
    return `(${parameters}): List<${list.item}, ${resultOf(operation)}> => this.#call.list(${address}, ${sent}, options, '${list.field}', '${list.cursor}')`
  if (isTextStream)
    return `(${parameters}): Promise<ReadableStream<Uint8Array>> => this.#call.stream(${address}, ${sent}, options)`
  const key = takesKey ? ', true' : ''
  return `(${parameters}): Promise<${resultOf(operation)}> => this.#call.json('${method}', ${address}, ${sent}, options${key})`
}

function errorCodes(document: Document): readonly string[] {
  const codes = new Set<string>()
  walk(document, (schema) => {
    for (const code of [Object(Object(Object(schema.headers)['Error-Code']).schema).enum ?? []].flat())
      codes.add(String(code))
  })
  return [...codes].sort()
}

/** Returns the names of fields whose values the client converts, and of those in which it converts nothing. */
function convertedNames({ paths, components, webhooks }: Document): Record<'amounts' | 'free', readonly string[]> {
  const amounts = new Set<string>()
  const free = new Set<string>()
  const others = new Set<string>()
  const take = (schema: Schema): void => {
    for (const [name, value] of Object.entries(Object(schema.properties))) {
      const own: Schema = Object(value)
      const set = isAmount(own) ? amounts : isFreeForm(own) ? free : others
      set.add(name)
    }
  }
  walk({ components, webhooks, responses: responsesIn(paths) }, take)
  const unclear = [...others].filter((name) => amounts.has(name) || free.has(name))
  if (unclear.length > 0)
    throw new Error(`${unclear.join(', ')}: an amount in one place, and something else in another`)
  return { amounts: [...amounts].sort(), free: [...free].sort() }
}

const responsesIn = (paths: unknown): readonly unknown[] =>
  Object.values(Object(paths)).flatMap((item) => Object.values(Object(item)).map((one) => Object(one).responses))

function walk(value: unknown, take: (schema: Schema) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) take(Object(value))
  for (const [name, below] of Object.entries(value)) if (name !== 'example') walk(below, take)
}
