// Tells whether what is generated was made from the files that are there: an install without the packages of development uses
// it, and cannot make it again.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What scripts/generate.ts and the pages are made of. The packages, of which parts are in the pages, are those of the lock file. */
const SOURCES = [
  'package-lock.json',
  'prisma/schema.prisma',
  'scripts/generate.ts',
  'src/{dashboard,pay}/**/*.*',
  'src/core/chain/*.ts',
  'src/server/build.ts',
]
const MARK = 'src/adapters/prisma/generated/made-of.txt'

function madeOf(root: string): string {
  const hash = createHash('sha256')
  for (const path of globSync(SOURCES, { cwd: root, exclude: ['**/generated/**'] }).toSorted())
    hash.update(`${path}\n`).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}

/** Keeps what everything that is generated was made of. */
export const writeMadeOf = (root: string): void => writeFileSync(join(root, MARK), madeOf(root))

/** Returns false also when nothing is generated. */
export function isMadeOf(root: string): boolean {
  const mark = join(root, MARK)
  return existsSync(mark) && readFileSync(mark, 'utf8') === madeOf(root)
}
