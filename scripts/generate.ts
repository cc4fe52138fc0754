// Generates the Prisma client, the Pothos types and the client's, and compiles the pages. Runs after every install.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
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

const COMPILER = '@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs'
const IMPORTED = `const { wasm } = await import("${COMPILER}")
    return await decodeBase64AsWasm(wasm)`
const READ = `const { readFileSync } = await import('node:fs')
    return new WebAssembly.Module(readFileSync(\`\${import.meta.dirname}/query-compiler.wasm\`))`

/** The client imports its query compiler as text, of which 9 MB stay in memory. It reads the bytes of a file instead. */
async function moveCompilerIntoFile(): Promise<void> {
  const directory = resolve(ROOT, 'src/adapters/prisma/generated/internal')
  const file = resolve(directory, 'class.ts')
  const source = readFileSync(file, 'utf8')
  if (!source.includes(IMPORTED)) throw new Error(`${file} loads its query compiler in another way`)
  writeFileSync(
    file,
    source.replace(IMPORTED, () => READ),
  )
  const { wasm }: { wasm: string } = await import(COMPILER)
  writeFileSync(resolve(directory, 'query-compiler.wasm'), Buffer.from(wasm, 'base64'))
}

await generateDatabaseClient()
await moveCompilerIntoFile()
await buildPages()
await buildTools()

const client = new URL('./sdk/generate.ts', import.meta.url)
// The image has no client.
if (existsSync(client)) {
  const { generateClient } = await import(client.href)
  generateClient()
}
