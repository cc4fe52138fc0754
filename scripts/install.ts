// What every install ends with.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isMadeOf } from './made-of.ts'
import { trim } from './trim.ts'

const root = resolve(import.meta.dirname, '..')
const hasTools = existsSync(resolve(root, 'node_modules/vitest'))
trim(resolve(root, 'node_modules'), { hasTools })
// Without the packages of development, what an install with them generated is used.
if (hasTools) await import('./generate.ts')
else if (!isMadeOf(root)) {
  console.error(
    'Nothing is generated from this version yet, and only the packages of development can do that: run `npm ci`, then `npm ci --omit=dev`.',
  )
  process.exitCode = 1
}
