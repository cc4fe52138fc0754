// npm asks for a decision about each package that runs a script when it is installed, and will refuse those without one.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))

test('package.json decides about each package with an install script', () => {
  const lock = z
    .object({ packages: z.record(z.string(), z.object({ hasInstallScript: z.boolean().optional() })) })
    .parse(read('package-lock.json'))
  const scripted = Object.entries(lock.packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript && path !== '' ? [path.replace(/^.*node_modules\//, '')] : [],
  )
  const { allowScripts } = z.object({ allowScripts: z.record(z.string(), z.boolean()) }).parse(read('package.json'))
  expect(Object.keys(allowScripts).toSorted()).toEqual(scripted.toSorted())
})
