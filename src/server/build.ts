// Copies GraphiQL and Redoc into `generated/`, so that a running service needs none of their packages. Runs after every install.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'

const GENERATED = join(import.meta.dirname, 'generated')
const GRAPHIQL = '@graphql-yoga/render-graphiql'
const REDOC = '@redocly/cli/lib/chunks/redoc.standalone.js'

export async function buildTools(): Promise<void> {
  mkdirSync(GENERATED, { recursive: true })
  await build({
    stdin: { contents: `export * from '${GRAPHIQL}'`, resolveDir: import.meta.dirname },
    outfile: join(GENERATED, 'graphiql.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    charset: 'utf8',
    logLevel: 'warning',
  })
  writeFileSync(join(GENERATED, 'graphiql.d.ts'), `export * from '${GRAPHIQL}'\n`)
  const redoc = readFileSync(createRequire(import.meta.url).resolve(REDOC), 'utf8')
  // Redoc shows a picture from its own site unless that fails.
  writeFileSync(join(GENERATED, 'redoc.js'), redoc.replaceAll('https://cdn.redoc.ly/redoc/', 'data:,'))
}
