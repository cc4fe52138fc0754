// Generates the Prisma client, the Pothos types and the client's, and compiles the pages. Runs after every install.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { buildPages } from '#pay/build.ts'
import { buildTools } from '#server/build.ts'

const ROOT = resolve(import.meta.dirname, '..')

/** Does what `prisma generate` does. The package of that command would bring 200 MB of its other commands. */
async function generateDatabaseClient(): Promise<void> {
  // Their ES modules import files that they do not have.
  const require = createRequire(import.meta.url)
  const prisma: typeof import('@prisma/internals') = require('@prisma/internals')
  const client: typeof import('@prisma/client-generator-ts') = require('@prisma/client-generator-ts')
  const schemaPath = { cliProvidedPath: resolve(ROOT, 'prisma/schema.prisma') }
  const pothos = resolve(ROOT, 'node_modules/@pothos/plugin-prisma/bin/generator.js')
  const generators = await prisma.getGenerators({
    schemaContext: await prisma.loadSchemaContext({ schemaPath, printLoadMessage: false }),
    registry: {
      'prisma-client': { type: 'in-process', generator: new client.PrismaClientTsGenerator() },
      'prisma-pothos-types': { type: 'rpc', generatorPath: pothos, isNode: true },
    },
    cliCommand: 'generate',
    skipDownload: true,
  })
  for (const generator of generators) {
    await generator.generate()
    generator.stop()
  }
}

await generateDatabaseClient()
await buildPages()
await buildTools()

const client = new URL('./sdk/generate.ts', import.meta.url)
// The image has no client.
if (existsSync(client)) {
  const { generateClient } = await import(client.href)
  generateClient()
}
