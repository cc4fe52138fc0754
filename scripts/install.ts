// What every install ends with.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { trim } from './trim.ts'

const root = resolve(import.meta.dirname, '..')
const hasTools = existsSync(resolve(root, 'node_modules/vitest'))
trim(resolve(root, 'node_modules'), { hasTools })
// Without the packages of development, what an install with them generated is used.
if (hasTools) await import('./generate.ts')
else if (!existsSync(resolve(root, 'src/adapters/prisma/generated'))) {
  console.error('Nothing is generated yet: run `npm ci` once before `npm ci --omit=dev`.')
  process.exitCode = 1
}
