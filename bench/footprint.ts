// What an install leaves on the disk, and what the image of the Dockerfile holds.
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, type Stats } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './harness/workplace.ts'
import type { BenchResult } from './result.ts'

const MB = 1_000_000
/** `node:24-slim` without its layers' compression. A machine without Docker cannot measure it. */
const BASE_MB = 230

export async function benchFootprint(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  await using cleanup = new AsyncDisposableStack()
  const clone = mkdtempSync(join(tmpdir(), 'payments-install-'))
  cleanup.defer(() => rmSync(clone, { recursive: true, force: true }))
  copyTracked(clone)
  const run = async (program: string, ...args: readonly string[]): Promise<void> => {
    await promisify(execFile)(program, args, { cwd: clone, maxBuffer: 64 * MB })
  }
  const modules = join(clone, 'node_modules')
  progress('npm ci in an empty clone')
  await run('npm', 'ci', '--no-audit', '--no-fund')
  const all = sizeOf(modules, blocksOf) / MB
  progress('npm ci --omit=dev in the same')
  await run('npm', 'ci', '--omit=dev', '--no-audit', '--no-fund')
  const production = sizeOf(modules, blocksOf) / MB
  progress('what the image holds')
  const { removal, copied } = readDockerfile()
  await run('sh', '-ec', removal)
  const app = copied.reduce((sum, path) => sum + sizeOf(join(clone, path), bytesOf), 0) / MB
  return [
    resultOf('npm ci', all, 800, 'of node_modules on the disk, Node and the chain included'),
    resultOf('npm ci --omit=dev', production, 450, 'the same, in a clone where `npm ci` has generated'),
    resultOf(
      'the image',
      app + BASE_MB,
      400,
      `${Math.round(app)} MB that the Dockerfile copies, and ${BASE_MB} of its base`,
    ),
  ]
}

const resultOf = (name: string, ours: number, atMost: number, detail: string): BenchResult => ({
  name: `disk: ${name}`,
  ours,
  baseline: null,
  unit: 'MB',
  ratio: ours,
  target: { atMost },
  detail,
})

/** Copies what a clone has, with what is changed and not committed yet. */
function copyTracked(to: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  for (const path of listed.split('\0').filter((one) => one !== '')) cpSync(join(ROOT, path), join(to, path))
}

/** Returns the last command of the stage that builds, which removes files, and the paths that the last stage copies. */
function readDockerfile(): { readonly removal: string; readonly copied: readonly string[] } {
  const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replaceAll('\\\n', '').split('\n')
  const last = lines.findLastIndex((line) => line.startsWith('FROM '))
  const removal = lines.slice(0, last).findLast((line) => line.startsWith('RUN '))
  const copied = lines.slice(last).flatMap((line) => {
    const [word, ...paths] = line.split(' ').filter((one) => !one.startsWith('--'))
    return word === 'COPY' ? paths.slice(0, -1) : []
  })
  if (removal === undefined || !copied.includes('/app/node_modules')) throw new Error('the Dockerfile has another form')
  return { removal: removal.slice('RUN '.length), copied: copied.map((path) => path.replace('/app/', '')) }
}

const blocksOf = ({ blocks }: Stats): number => blocks * 512
/** A layer of an image has the content of files only. */
const bytesOf = (stat: Stats): number => (stat.isDirectory() ? 0 : stat.size)

/** Counts a file with several names once. */
function sizeOf(path: string, measure: (stat: Stats) => number, seen = new Set<number>()): number {
  const stat = lstatSync(path)
  if (stat.isDirectory())
    return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name), measure, seen), measure(stat))
  if (seen.has(stat.ino)) return 0
  seen.add(stat.ino)
  return measure(stat)
}
