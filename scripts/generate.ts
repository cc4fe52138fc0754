// Generates the Prisma client, the Pothos types and the client's, and compiles the pages. Runs after every install.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, resolve } from 'node:path'
import { buildPages } from '#pay/build.ts'
import { buildTools } from '#server/build.ts'
import { writeMadeOf } from './made-of.ts'

const ROOT = resolve(import.meta.dirname, '..')

/** Throws what `prisma generate` says when it fails. */
function generateDatabaseClient(): void {
  // The command line insists on a schema engine that only migrations need; naming any existing file
  // keeps it from downloading one. Migrations are made by scripts/migration.ts instead.
  const engine = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1' }
  // It starts the generator of Pothos by its name. npm sets this path for what it runs, and the Dockerfile runs this by itself.
  const path = [resolve(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const program = createRequire(import.meta.url).resolve('prisma/build/index.js')
  const result = spawnSync(process.execPath, [program, 'generate'], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, ...engine, PATH: path },
  })
  if (result.status !== 0) throw new Error(`${result.stdout}${result.stderr}`)
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

generateDatabaseClient()
await moveCompilerIntoFile()
await buildPages()
await buildTools()

const client = new URL('./sdk/generate.ts', import.meta.url)
// The image has no client.
if (existsSync(client)) {
  const { generateClient } = await import(client.href)
  generateClient()
}

writeMadeOf(ROOT)
