import { readFileSync } from 'node:fs'
import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { expect, it } from 'vitest'
import { schema } from '#graphql/schema.ts'

it('schema.graphql is the schema as it stands', () => {
  const committed = buildSchema(readFileSync('schema.graphql', 'utf8'))
  expect(printSchema(lexicographicSortSchema(committed))).toBe(printSchema(lexicographicSortSchema(schema)))
})
