// Generates the Prisma client, the Pothos types and the client's, and compiles the pages. Runs after every install.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'

// The command line insists on a schema engine that only migrations need; naming any existing file
// keeps it from downloading one. Migrations are made by scripts/migration.ts instead.
const result = spawnSync(
  process.execPath,
  [createRequire(import.meta.url).resolve('prisma/build/index.js'), 'generate'],
  {
    encoding: 'utf8',
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1' },
  },
)
if (result.status !== 0) {
  process.stderr.write(`${result.stdout}${result.stderr}`)
  process.exit(result.status ?? 1)
}

const pages = new URL('../src/pay/build.ts', import.meta.url)
// Where only the dependencies are installed, the pages come later.
if (existsSync(pages)) {
  const { buildPages } = await import(pages.href)
  await buildPages()
}

const client = new URL('./sdk/generate.ts', import.meta.url)
if (existsSync(client)) {
  const { generateClient } = await import(client.href)
  generateClient()
}
