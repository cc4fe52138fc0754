// What a process loads before it serves an API, which is all that a worker ever loads.
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const PACKAGES_OF_THE_API = [/^ajv/, /^@?graphql/, /^@pothos/, /^preact/]

/** Returns the packages that a file reaches by static imports, each with the file that imports it. */
async function packagesOf(entry: string): Promise<ReadonlyMap<string, string>> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    metafile: true,
    write: false,
  })
  const packages = new Map<string, string>()
  const reached = new Set([entry])
  for (const file of reached) {
    for (const { path, kind, external } of metafile.inputs[file]?.imports ?? []) {
      if (kind === 'dynamic-import') continue
      if (external) packages.set(path, file)
      else reached.add(path)
    }
  }
  return packages
}

test.each(['src/main.ts', 'src/server/worker-server.ts'])('%s loads no package of the API', async (entry) => {
  const packages = await packagesOf(entry)
  expect([...packages.keys()]).toContain('pino')
  expect([...packages].filter(([name]) => PACKAGES_OF_THE_API.some((of) => of.test(name)))).toEqual([])
})
