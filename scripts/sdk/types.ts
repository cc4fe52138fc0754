// Writes the schemas of openapi.json as TypeScript. An amount, which can exceed 2^53, is a bigint wherever it occurs.
import type { Schema } from '../openapi/schema.ts'

const AMOUNT_FORMATS: ReadonlySet<unknown> = new Set(['uint64', 'uint'])
/** A name that needs no quotes. */
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/

export const isAmount = ({ format }: Schema): boolean => AMOUNT_FORMATS.has(format)

/** Returns whether a schema is any JSON object, such as metadata: nothing in it is converted. */
export const isFreeForm = ({ type, properties, additionalProperties }: Schema): boolean =>
  [type].flat().includes('object') && properties === undefined && additionalProperties !== false

export type Direction = 'sent' | 'received'

/** Returns the type of the values of a schema. What is sent may be read-only, and may have undefined where it may be left out. */
export function typeOf(schema: Schema, direction: Direction): string {
  const { $ref, type, enum: values, allOf, oneOf, anyOf } = schema
  if (typeof $ref === 'string') return $ref.replace(/^.*\//, '')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(values)) return union(values.map((value) => JSON.stringify(value)))
  if (Array.isArray(allOf)) return allOf.map((part) => parenthesized(typeOf(part, direction))).join(' & ')
  const forms = oneOf ?? anyOf
  if (Array.isArray(forms)) return union(forms.map((form) => typeOf(form, direction)))
  return union([type].flat().map((one) => typeNamed(one, schema, direction)))
}

function typeNamed(name: unknown, schema: Schema, direction: Direction): string {
  if (name === 'array') {
    const items = parenthesized(typeOf(Object(schema.items), direction))
    return direction === 'sent' ? `readonly ${items}[]` : `${items}[]`
  }
  if (name === 'object') return objectType(schema, direction)
  if (name === 'null' || name === 'boolean') return name
  if (isAmount(schema)) return 'bigint'
  if (name === 'integer' || name === 'number') return 'number'
  if (name === 'string') return 'string'
  return 'unknown'
}

function objectType(schema: Schema, direction: Direction): string {
  if (isFreeForm(schema)) {
    const { additionalProperties: values } = schema
    const value = typeof values === 'object' ? typeOf(Object(values), direction) : 'unknown'
    return direction === 'sent' ? `Readonly<Record<string, ${value}>>` : `Record<string, ${value}>`
  }
  const required = new Set([schema.required].flat())
  const fields = Object.entries(Object(schema.properties)).map(([name, value]) => {
    const own: Schema = Object(value)
    return fieldOf({ name, schema: own, isRequired: required.has(name) }, direction)
  })
  return fields.length === 0 ? 'Record<never, never>' : `{\n${fields.join('\n')}\n}`
}

export type Field = { readonly name: string; readonly schema: Schema; readonly isRequired: boolean }

/** Returns the line of a field, below its description. */
export function fieldOf({ name, schema, isRequired }: Field, direction: Direction): string {
  const written = PLAIN_NAME.test(name) ? name : JSON.stringify(name)
  const type = typeOf(schema, direction)
  const may = direction === 'sent' && !isRequired ? ' | undefined' : ''
  return `${docOf(schema.description)}${written}${isRequired ? '' : '?'}: ${type}${may}`
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ')
const parenthesized = (type: string): string => (/ [|&] /.test(type) ? `(${type})` : type)

/** Returns a comment for people who use the client; nothing without a text. */
export function docOf(text: unknown): string {
  if (typeof text !== 'string' || text === '') return ''
  const lines = text.replaceAll('*/', '* /').trim().split('\n')
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}
