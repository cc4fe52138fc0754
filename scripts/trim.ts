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
  // Sources, and data of tests.
  '{zod/src,bintrees/test}',
  // GraphiQL as CommonJS: src/server/build.ts takes it as an ES module.
  '@graphql-yoga/render-graphiql/cjs',
  // Builds for other platforms.
  'sodium-native/prebuilds/*',
  // The client of streams as an ES module: its CommonJS modules have the types.
  '@triton-one/yellowstone-grpc/dist/esm',
]
/**
 * What npm keeps without the packages of development, because the client of Prisma names its command line as an optional peer; types
 * and builds for browsers, which only compilers read.
 */
const TOOLS = [
  'prisma',
  '@prisma/{config,dev,engines,engines-version,fetch-engine,get-platform,query-plan-executor,streams-local,studio-core}',
  '{effect,elkjs,mysql2,react-dom}',
  '{typescript,@typescript}',
  '**/*.d.{ts,cts,mts}',
  '@solana/*/dist/*.{browser,native,development,production}.*',
]
const LOADED = [
  '@prisma/client/runtime/query_compiler_fast_bg.postgresql.{mjs,wasm-base64.mjs}',
  `sodium-native/prebuilds/${process.platform}-${process.arch}`,
]

/** `hasTools`: the packages of development are installed. */
export function trim(modules: string, { hasTools }: { readonly hasTools: boolean }): void {
  const never = hasTools ? NEVER_LOADED : [...NEVER_LOADED, ...TOOLS]
  for (const path of globSync(never, { cwd: modules, exclude: LOADED }))
    rmSync(join(modules, path), { recursive: true, force: true })
}
