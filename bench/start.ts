// The time from the start of the program of `npm start` until it answers, with the embedded database and chain.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../test/support/free-port.ts'
import { startServerProcess } from './harness/server-process.ts'
import { nodeOptions, ROOT } from './harness/workplace.ts'
import type { BenchResult } from './result.ts'

const ROUNDS = 3

export async function benchStart(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  const first: number[] = []
  const later: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const directory = mkdtempSync(join(tmpdir(), 'payments-start-'))
    first.push(await secondsToStart(directory))
    later.push(await secondsToStart(directory))
    rmSync(directory, { recursive: true, force: true })
    progress(`${first.at(-1)?.toFixed(1)} s the first time, ${later.at(-1)?.toFixed(1)} s the next`)
  }
  return [resultOf('a first start', first, 8), resultOf('a later start', later, 4)]
}

async function secondsToStart(directory: string): Promise<number> {
  const port = await freePort()
  const before = performance.now()
  const server = await startServerProcess({
    name: 'service',
    program: join(ROOT, 'src/main.ts'),
    nodeArguments: nodeOptions(),
    port,
    directory,
    env: { DATA_DIR: join(directory, 'data') },
  })
  const seconds = (performance.now() - before) / 1_000
  await server.stop()
  return seconds
}

function resultOf(name: string, rounds: readonly number[], atMost: number): BenchResult {
  const ours = rounds.toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0
  const detail = `the median of ${rounds.map((seconds) => seconds.toFixed(1)).join(', ')} s`
  return { name, ours, baseline: null, unit: 's', ratio: ours, target: { atMost }, detail }
}
