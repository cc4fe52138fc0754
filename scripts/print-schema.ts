// Prints the GraphQL schemas that the code states, so that a change of one is seen in review.
//
//   npm run schema             writes schema.graphql and operator.graphql
//   npm run schema -- --check  exits with 1 when one of them says otherwise
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { operatorSchema } from '#graphql/operator/schema.ts'
import { schema } from '#graphql/schema.ts'

const { values } = parseArgs({ options: { check: { type: 'boolean' } } })

function print(name: string, stated: GraphQLSchema): void {
  const file = resolve(import.meta.dirname, '..', name)
  const printed = `${printSchema(lexicographicSortSchema(stated))}\n`
  const stale = !existsSync(file) || readFileSync(file, 'utf8') !== printed
  if (!stale) {
    console.log(`nothing to do: ${name} is what the code states`)
  } else if (values.check) {
    console.error(`${name} is not what the code states: run \`npm run schema\`, and look at what changed`)
    process.exitCode = 1
  } else {
    writeFileSync(file, printed)
    console.log(`wrote ${name}`)
  }
}

print('schema.graphql', schema)
print('operator.graphql', operatorSchema)
