// Compiles the pages: the module that renders them on the server, and the files that browsers load. Runs after every
// install and before the tests.
import { rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'

const HERE = import.meta.dirname
const ROOT = join(HERE, '../..')
const GENERATED = join(HERE, 'generated')

const COMMON: BuildOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
}

const FOR_BROWSERS: BuildOptions & { metafile: true } = {
  ...COMMON,
  outdir: join(GENERATED, 'files'),
  minify: true,
  target: 'es2022',
  legalComments: 'none',
  metafile: true,
}

/** Each page loads the script of its name and the style; in a sandbox also the demo wallet. The names of the files have a hash of their content. */
const SCRIPTS = ['payment.tsx', 'checkout.tsx', 'portal.tsx', 'recovery.tsx', 'demo-wallet.ts']
const STYLE = 'style.css'
/** The dashboard is cut into files of its own: what it shares with the pages would cut these into more. */
const DASHBOARD = ['browser/dashboard.tsx', 'dashboard.css']
/** It is there before the others, so it shares nothing with them. */
const EARLY = ['browser/early.ts']
/** The operator's has its own scripts, so that the businesses' stays as small as it is, and loads the style of theirs as well. */
const OPERATOR = ['operator/operator.tsx', 'operator/operator.css']
/** What other sites embed has a fixed name. */
const WIDGET = 'widget.ts'

/** The type of the module that is made for the server. */
const RENDER_TYPES = `import type { Render } from '../page-input.ts'
export declare const render: Render
`

/** Writes everything into `generated/`, in about a tenth of a second. */
export async function buildPages(): Promise<void> {
  rmSync(GENERATED, { recursive: true, force: true })
  const split = (entryPoints: readonly string[]) =>
    build({
      ...FOR_BROWSERS,
      entryPoints: [...entryPoints],
      entryNames: '[name]-[hash]',
      chunkNames: 'shared-[hash]',
      splitting: true,
    })
  const pages = [...SCRIPTS.map((name) => join(HERE, 'browser', name)), join(HERE, STYLE)]
  const dashboard = DASHBOARD.map((path) => join(HERE, '../dashboard', path))
  const early = EARLY.map((path) => join(HERE, '../dashboard', path))
  // What a script loads later is an entry of its own, and has the name of another page perhaps.
  const operator = OPERATOR.map((path) => join(HERE, '../dashboard', path))
  const entries = new Set([...pages, ...dashboard, ...early, ...operator])
  const browser = [split(pages), split(dashboard), split(early), split(operator)]
  const server = build({
    ...COMMON,
    entryPoints: [join(HERE, 'views/render.tsx')],
    outfile: join(GENERATED, 'render.js'),
    platform: 'node',
    packages: 'external',
  })
  const widget = build({ ...FOR_BROWSERS, entryPoints: [join(HERE, 'browser', WIDGET)], format: 'iife' })
  const built = await Promise.all(browser)
  await Promise.all([server, widget])
  const loads: Record<string, readonly string[]> = {}
  for (const [path, { entryPoint, imports }] of built.flatMap(({ metafile }) => Object.entries(metafile.outputs))) {
    if (entryPoint === undefined || !entries.has(join(ROOT, entryPoint))) continue
    const shared = imports.filter(({ kind }) => kind === 'import-statement')
    loads[basename(entryPoint)] = [path, ...shared.map((one) => one.path)].map((file) => basename(file))
  }
  writeFileSync(join(GENERATED, 'loads.json'), `${JSON.stringify(loads, null, 2)}\n`)
  writeFileSync(join(GENERATED, 'render.d.ts'), RENDER_TYPES)
}

if (import.meta.main) await buildPages()
