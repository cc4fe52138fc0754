// Removes from node_modules what no program here loads: a quarter of what npm installs. The next `npm ci` installs it again.
import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const NEVER_LOADED = [
  // Source maps of the packages.
  '**/*.{js,cjs,mjs,css,ts,cts,mts}.map',
  // The headers and the manual of Node.
  'node-{linux,win}-*/{include,share}',
  // Prisma's query compilers, for five databases and in four forms each. The client loads one of them.
  '@prisma/client/runtime/query_compiler_*',
  // What reads the configuration of Prisma's command line.
  'effect/{dist,src}',
  // GraphiQL as CommonJS: src/server/build.ts takes it as an ES module.
  '@graphql-yoga/render-graphiql/cjs',
  // Builds for other platforms.
  'sodium-native/prebuilds/*',
]
const LOADED = [
  '@prisma/client/runtime/query_compiler_fast_bg.postgresql.{mjs,wasm-base64.mjs}',
  `sodium-native/prebuilds/${process.platform}-${process.arch}`,
]

export function trim(modules: string): void {
  for (const path of globSync(NEVER_LOADED, { cwd: modules, exclude: LOADED }))
    rmSync(join(modules, path), { recursive: true, force: true })
}
