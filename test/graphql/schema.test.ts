import { readFileSync } from 'node:fs'
import {
  buildSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '#graphql/schema.ts'

it('schema.graphql is the schema as it stands', () => {
  const committed = buildSchema(readFileSync('schema.graphql', 'utf8'))
  expect(printSchema(lexicographicSortSchema(committed))).toBe(printSchema(lexicographicSortSchema(schema)))
})

/** Inputs that say themselves what a blank text means: credentials prove nothing, and no cursor or seller has that id. */
const NOT_KEYS = new Set(['clientSecret', 'onBehalfOf', 'after', 'before'])

it('every text that a caller sends is Text, which is never blank, or FormText, which is no key', () => {
  const inputs = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (type.name.startsWith('__')) return []
    if (isInputObjectType(type)) return Object.values(type.getFields())
    return isObjectType(type) ? Object.values(type.getFields()).flatMap(({ args }) => args) : []
  })
  const plain = inputs.filter(({ type }) => getNamedType(type).name === 'String').map(({ name }) => name)
  expect(plain.filter((name) => !NOT_KEYS.has(name))).toEqual([])
})
