// Prints the GraphQL schema that the code states, so that a change of it is seen in review.
//
//   npm run schema             writes schema.graphql
//   npm run schema -- --check  exits with 1 when schema.graphql says otherwise
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { lexicographicSortSchema, printSchema } from 'graphql'
import { schema } from '#graphql/schema.ts'

const file = resolve(import.meta.dirname, '../schema.graphql')
const { values } = parseArgs({ options: { check: { type: 'boolean' } } })
const printed = `${printSchema(lexicographicSortSchema(schema))}\n`
const stale = !existsSync(file) || readFileSync(file, 'utf8') !== printed

if (!stale) {
  console.log('nothing to do: schema.graphql is what the code states')
} else if (values.check) {
  console.error('schema.graphql is not what the code states: run `npm run schema`, and look at what changed')
  process.exitCode = 1
} else {
  writeFileSync(file, printed)
  console.log('wrote schema.graphql')
}
