// Prints the OpenAPI document that the endpoints state.
//
//   npm run openapi             writes openapi.json
//   npm run openapi -- --check  exits with 1 when openapi.json is stale
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openApiDocument } from './openapi/document.ts'

const file = resolve(import.meta.dirname, '../openapi.json')
const { values } = parseArgs({ options: { check: { type: 'boolean' } } })
const printed = `${JSON.stringify(openApiDocument(), null, 2)}\n`
const stale = !existsSync(file) || readFileSync(file, 'utf8') !== printed

if (!stale) {
  console.log('nothing to do: openapi.json is what the endpoints state')
} else if (values.check) {
  console.error('openapi.json is not what the endpoints state: run `npm run openapi`, and look at what changed')
  process.exitCode = 1
} else {
  writeFileSync(file, printed)
  console.log('wrote openapi.json')
}
