// The parameters and columns of statements outside Prisma, with the same meaning on both engines.
import pg from 'pg'
import type { Parameter } from '#adapters/prisma/engine/engine.ts'

type Parser = (text: string) => unknown

/** PostgreSQL's object id of a type, and that of its array. */
const TYPES: ReadonlyArray<readonly [name: keyof typeof pg.types.builtins, array: number, parse: Parser]> = [
  ['BOOL', 1000, (text) => text === 't'],
  ['BYTEA', 1001, parseBytes],
  ['INT2', 1005, Number],
  ['INT4', 1007, Number],
  ['OID', 1028, Number],
  ['INT8', 1016, BigInt],
  ['FLOAT4', 1021, Number],
  ['FLOAT8', 1022, Number],
  ['JSON', 199, JSON.parse],
  ['JSONB', 3807, JSON.parse],
  ['TIMESTAMPTZ', 1185, parseTimestamp],
  ['TIMESTAMP', 1115, (text) => parseTimestamp(`${text}+00`)],
  ['TEXT', 1009, asText],
  ['VARCHAR', 1015, asText],
  ['NUMERIC', 1231, asText],
  ['DATE', 1182, asText],
  ['UUID', 2951, asText],
]
const TEXT_ARRAY = 1009

/** By object id. Other types stay the text that PostgreSQL printed. */
export const PARSERS: Readonly<Record<number, Parser>> = Object.fromEntries(
  TYPES.flatMap(([name, array, parse]) => [
    [pg.types.builtins[name], parse],
    [array, parseArray(parse)],
  ]),
)

function asText(text: string): string {
  return text
}

function parseBytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.slice('\\x'.length), 'hex'))
}

function parseTimestamp(text: string): unknown {
  return pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ)(text)
}

function parseArray(parse: Parser): Parser {
  // By Reflect, because its types list the scalar object ids only.
  const split: (text: string) => (string | null)[] = Reflect.apply(pg.types.getTypeParser, pg.types, [TEXT_ARRAY])
  return (text) => split(text).map((item) => (item === null ? null : parse(item)))
}

/** Returns a parameter as PostgreSQL's own text, so that both drivers send the same; bytes stay bytes. */
export function toWire(value: Parameter): string | Uint8Array | null {
  if (value === null || typeof value === 'string' || value instanceof Uint8Array) return value
  if (value === undefined) throw new TypeError('a statement has the parameter undefined: write null')
  if (value instanceof Date) return value.toISOString()
  if (isArray(value)) return `{${value.map(toArrayItem).join(',')}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function toArrayItem(value: Parameter): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (isArray(value)) return `{${value.map(toArrayItem).join(',')}}`
  const wire = toWire(value)
  const text = wire instanceof Uint8Array ? `\\x${Buffer.from(wire).toString('hex')}` : String(wire)
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

// Array.isArray does not narrow a readonly array out of a union.
function isArray(value: Parameter): value is readonly Parameter[] {
  return Array.isArray(value)
}
