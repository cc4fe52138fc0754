// Finding deposits block by block, each figure next to a poller of addresses in the same run.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { BenchResult } from '../result.ts'
import { benchCalls } from './calls.ts'
import { benchParsing } from './parsing.ts'
import { benchRestart } from './restart.ts'

export async function benchDetection(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  const results: BenchResult[] = []
  for (const bench of [benchCalls, benchParsing, benchMemory, benchRestart]) results.push(...(await bench(progress)))
  return results
}

// What watching a million addresses takes of memory, in a process of its own each time.

const MILLION = 1_000_000
/** The poller keeps whole intents; a tenth of them is enough to tell. */
const POLLED = 100_000
const MAX_MB = 200

async function benchMemory(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  progress('memory of a process that searches blocks for a million addresses, and of one that searches for none')
  const [empty, full] = [await measure('blocks', 0), await measure('blocks', MILLION)]
  const [unwatched, polled] = [await measure('polling', 0), await measure('polling', POLLED)]
  const scaled = (polled - unwatched) * (MILLION / POLLED)
  return [
    {
      name: 'memory for a million addresses',
      ours: full - empty,
      baseline: scaled,
      unit: 'MB',
      ratio: (full - empty) / scaled,
      target: { atMost: MAX_MB },
      judged: 'ours',
      detail: `over ${Math.round(empty)} MB without any; the baseline is the poller's list, reckoned from ${POLLED.toLocaleString('en')}`,
    },
  ]
}

/** In megabytes, the lowest of a few readings: memory that is collected late is not needed. */
async function measure(how: 'blocks' | 'polling', count: number): Promise<number> {
  const program = new URL('./memory-process.ts', import.meta.url).pathname
  const sizes: number[] = []
  for (let round = 0; round < 2; round += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, how, String(count)])
    const sample: { rss: number; watched: number } = JSON.parse(stdout)
    if (sample.watched !== count) throw new Error(`${sample.watched} of ${count} addresses are watched`)
    sizes.push(sample.rss / 2 ** 20)
  }
  return Math.min(...sizes)
}
