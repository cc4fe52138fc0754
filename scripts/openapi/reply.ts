// The schemas of the replies of an endpoint: what its `reply` makes of the stand-in for a result of its document. Where it
// decides by a boolean or an enum, it is asked for each value; where a value may be absent, it is asked without.
import type { GraphQLSchema } from 'graphql'
import { type Endpoint, TextStream } from '#http/endpoint.ts'
import { type Components, objectSchema, orNull, type Schema } from './schema.ts'
import { type Place, type Result, StandIn, standInFor } from './stand-in.ts'

/** A reply with its status. `body` is null for a text that is no JSON. */
export type ReplySchema = {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: Schema | null
  readonly type: string
}

/** A part of a body. `component` names the fields that are those of a fragment. */
type Part = (
  | { readonly kind: 'value'; readonly value: StandIn }
  | { readonly kind: 'constant'; readonly values: readonly unknown[] }
  | { readonly kind: 'list'; readonly items: Part | null }
  | {
      readonly kind: 'object'
      readonly fields: Map<string, Part>
      readonly optional: Set<string>
      readonly component: { readonly name: string; readonly fields: ReadonlySet<string> } | null
    }
) & { isNullable: boolean; readonly description: string; readonly path: string | null }

type Reply = { readonly status: number; readonly headers: readonly string[]; readonly body: Part | TextStream }

/** Returns the schemas of the replies, the lowest status first. Throws when `reply` computes with what a stand-in cannot do. */
export function repliesOf(
  { method, path, sources }: Pick<Endpoint, 'method' | 'path' | 'sources'>,
  schema: GraphQLSchema,
  components: Components,
): readonly ReplySchema[] {
  const ask = (fixed: ReadonlyMap<string, unknown>, decided: Place | null): Reply | null => {
    const result = standInFor(schema, sources.document, fixed)
    const { status = 200, headers = {}, body } = Reflect.apply(sources.reply, undefined, [result.root])
    if (body === undefined) return null
    return {
      status,
      headers: Object.keys(headers),
      body: body instanceof TextStream ? body : partOf(body, result, decided),
    }
  }
  try {
    const { places } = standInFor(schema, sources.document)
    const deciding = places.filter((place) => place.kind === 'switch' && decides(place, ask))
    if (deciding.length > 1) throw new Error(`it decides by ${deciding.map((place) => place.path).join(' and ')}`)
    const [place] = deciding
    const cases = place === undefined ? [[]] : place.values.map((value) => [[place.path, value]] as const)
    const found = cases.map((fixed) => {
      const reply = ask(new Map(fixed), place ?? null)
      if (reply === null) throw new Error(`it makes nothing of ${JSON.stringify(fixed)}`)
      if (!(reply.body instanceof TextStream)) {
        for (const { path, values, kind } of places)
          if (kind === 'absent' && reply.body instanceof Object) {
            const without = ask(new Map([...fixed, [path, values[0]]]), place ?? null)?.body
            if (without !== undefined && !(without instanceof TextStream)) noteAbsent(reply.body, without, path)
          }
      }
      return reply
    })
    return [...Map.groupBy(found, ({ status }) => status)]
      .sort(([a], [b]) => a - b)
      .map(([status, replies]) => schemaOfReplies(status, replies, components))
  } catch (cause) {
    throw new Error(`the reply of ${method} ${path} has no schema: ${String(cause)}`, { cause })
  }
}

/** Returns whether a reply has another form for some values of a place. */
function decides({ path, values }: Place, ask: (fixed: ReadonlyMap<string, unknown>, decided: null) => Reply | null) {
  const formOf = (fixed: ReadonlyMap<string, unknown>): string => {
    const reply = ask(fixed, null)
    if (reply === null || reply.body instanceof TextStream) return String(reply?.status)
    return JSON.stringify([reply.status, reply.headers, shapeOf(reply.body)])
  }
  return new Set([formOf(new Map()), ...values.map((value) => formOf(new Map([[path, value]])))]).size > 1
}

function partOf(value: unknown, result: Result, decided: Place | null): Part {
  const { isNullable = false, description = '', path = null } = result.facts.get(Object(value)) ?? {}
  const common = { isNullable, description, path }
  if (value instanceof StandIn) return { kind: 'value', value, ...common }
  if (Array.isArray(value)) {
    const [item] = value
    return { kind: 'list', items: item === undefined ? null : partOf(item, result, decided), ...common }
  }
  if (typeof value !== 'object' || value === null) return { kind: 'constant', values: [value], ...common }
  const parents = parentsOf(value, result)
  const fields = new Map(
    Object.entries(value).map(([name, each]): [string, Part] => {
      const part = partOf(each, result, decided)
      if (part.description !== '') return [name, part]
      // What `reply` has copied or decided by is still the field of that name.
      const [copied] = parents.flatMap((parent) => result.facts.get(Object(Reflect.get(parent, name))) ?? [])
      const isDecided = decided !== null && part.kind === 'constant' && name === decided.name
      return [name, { ...part, description: (isDecided ? decided : copied)?.description ?? '' }]
    }),
  )
  return { kind: 'object', fields, optional: new Set(), component: componentOf(value, result), ...common }
}

/** Returns the objects of the result from which an object has its fields. */
const parentsOf = (value: object, { facts }: Result): readonly object[] => [
  ...new Set(Object.values(value).flatMap((each) => facts.get(Object(each))?.parent ?? [])),
]

/** Returns the fragment whose fields an object has, also after `reply` has copied them into another object. */
function componentOf(value: object, result: Result) {
  for (const parent of [value, ...parentsOf(value, result)]) {
    const fragment = result.fragments.get(parent)
    if (fragment?.fields.every((name) => Object.hasOwn(value, name)) === true)
      return { name: fragment.name.replace(/Body$/, ''), fields: new Set(fragment.fields) }
  }
  return null
}

const shapeOf = (part: Part): unknown => {
  if (part.kind === 'list') return part.items === null ? [] : [shapeOf(part.items)]
  if (part.kind !== 'object') return 0
  return Object.fromEntries([...part.fields].map(([name, field]) => [name, shapeOf(field)]))
}

/** Notes which fields are left out, or null, in the body of a result without some value. */
function noteAbsent(part: Part, without: Part, path: string): void {
  if (without.kind === 'constant' && without.values.includes(null)) part.isNullable = true
  else if (part.kind === 'list' && without.kind === 'list') {
    if (part.items !== null && without.items !== null) noteAbsent(part.items, without.items, path)
  } else if (part.kind === 'object' && without.kind === 'object') {
    for (const [name, field] of part.fields) {
      const other = without.fields.get(name)
      if (other !== undefined) noteAbsent(field, other, path)
      else {
        part.optional.add(name)
        if (field.path === path) field.isNullable = false
      }
    }
  }
}

function schemaOfReplies(status: number, replies: readonly Reply[], components: Components): ReplySchema {
  const headers = [...new Set(replies.flatMap((reply) => reply.headers))]
  const parts: Part[] = []
  for (const { body } of replies) {
    if (body instanceof TextStream) return { status, headers, body: null, type: body.type.split(';')[0] ?? '' }
    parts.push(body)
  }
  const forms = [...Map.groupBy(parts, (part) => JSON.stringify(shapeOf(part))).values()].map((same) =>
    schemaOf(same.reduce(merged), components),
  )
  const [only = {}] = forms
  return { status, headers, body: forms.length === 1 ? only : { oneOf: forms }, type: 'application/json' }
}

/** Merges two parts of one form. */
function merged(a: Part, b: Part): Part {
  const isNullable = a.isNullable || b.isNullable
  if (a.kind === 'constant' && b.kind === 'constant')
    return { ...a, isNullable, values: [...new Set([...a.values, ...b.values])] }
  if (a.kind === 'constant') return { ...b, isNullable: isNullable || a.values.includes(null) }
  if (a.kind === 'list' && b.kind === 'list')
    return { ...a, isNullable, items: a.items && b.items ? merged(a.items, b.items) : (a.items ?? b.items) }
  if (a.kind === 'object' && b.kind === 'object') {
    const fields = new Map([...a.fields].map(([name, part]) => [name, merged(part, b.fields.get(name) ?? part)]))
    return { ...a, isNullable, fields, optional: a.optional.union(b.optional) }
  }
  return { ...a, isNullable }
}

function schemaOf(part: Part, components: Components): Schema {
  const described = (schema: Schema): Schema =>
    part.description === '' ? schema : { description: part.description, ...schema }
  const schema = described(bareSchemaOf(part, components))
  return part.isNullable ? orNull(schema) : schema
}

function bareSchemaOf(part: Part, components: Components): Schema {
  switch (part.kind) {
    case 'value':
      return part.value.named === null
        ? part.value.schema
        : components.add(part.value.named.name, enumSchema(part.value.named))
    case 'constant':
      return constantSchema(part.values)
    case 'list':
      return { type: 'array', items: part.items === null ? {} : schemaOf(part.items, components) }
    case 'object': {
      const fieldsThat = (is: (name: string) => boolean) =>
        objectSchema(
          [...part.fields]
            .filter(([name]) => is(name))
            .map(([name, field]) =>
              part.optional.has(name)
                ? ([name, schemaOf({ ...field, description: leftOut(field.description) }, components), false] as const)
                : ([name, schemaOf(field, components), true] as const),
            ),
        )
      const { component } = part
      if (component === null) return fieldsThat(() => true)
      const reference = components.add(
        component.name,
        fieldsThat((name) => component.fields.has(name)),
      )
      const hasMore = part.fields.size > component.fields.size
      return hasMore ? { allOf: [reference, fieldsThat((name) => !component.fields.has(name))] } : reference
    }
  }
}

/** GraphQL has null, or an empty list, where REST leaves a field out. */
const leftOut = (description: string): string =>
  description.replace(/\b(?:Null|Empty) (?=until|unless|when|while)/g, 'Left out ')

const enumSchema = ({ description, values }: NonNullable<StandIn['named']>): Schema => ({
  description: [description, ...values.map((one) => `- \`${one.value}\`: ${one.description}`)].join('\n'),
  type: 'string',
  enum: values.map(({ value }) => value),
})

function constantSchema(values: readonly unknown[]): Schema {
  const [first] = values
  const type = first === null ? 'null' : typeof first
  if (type === 'boolean' && values.length === 2) return { type }
  return values.length === 1 ? { type, const: first } : { type, enum: values }
}
