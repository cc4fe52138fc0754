// Prints the table of errors as a page of the documentation.
//
//   npm run errors             writes docs/errors.md
//   npm run errors -- --check  exits with 1 when docs/errors.md is stale
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { errorsPage } from './errors-page.ts'

const file = resolve(import.meta.dirname, '../docs/errors.md')
const { values } = parseArgs({ options: { check: { type: 'boolean' } } })
const printed = errorsPage()
const stale = !existsSync(file) || readFileSync(file, 'utf8') !== printed

if (!stale) {
  console.log('nothing to do: docs/errors.md states the table of errors')
} else if (values.check) {
  console.error('docs/errors.md is not the table of errors: run `npm run errors`, and read the difference')
  process.exitCode = 1
} else {
  writeFileSync(file, printed)
  console.log('wrote docs/errors.md')
}
