// Builds the client and packs it: sdk/solana-payments-client-<version>.tgz, which `npm install` takes.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { generateClient } from './generate.ts'

const sdk = resolve(import.meta.dirname, '../../sdk')

/** Compiles sdk/src to sdk/dist. */
export function buildClient(): void {
  generateClient()
  rmSync(join(sdk, 'dist'), { recursive: true, force: true })
  execFileSync(process.execPath, [resolve(sdk, '../node_modules/typescript/bin/tsc'), '--project', sdk], {
    stdio: 'inherit',
  })
  // The compiler rewrites the extensions of imports in code only.
  for (const file of globSync('dist/**/*.d.ts', { cwd: sdk })) {
    const path = join(sdk, file)
    writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'"))
  }
}

if (import.meta.main) {
  buildClient()
  const packed = execFileSync('npm', ['pack', '--silent'], { cwd: sdk, encoding: 'utf8' }).trim()
  console.log(`built sdk/dist, and sdk/${packed}: npm install takes either`)
}
