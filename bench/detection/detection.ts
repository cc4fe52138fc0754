// Finding deposits block by block, each figure next to a poller of addresses in the same run.
import type { BenchResult } from '../result.ts'
import { benchCalls } from './calls.ts'
import { benchMemory } from './memory.ts'
import { benchParsing } from './parsing.ts'
import { benchRestart } from './restart.ts'

export async function benchDetection(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  const results: BenchResult[] = []
  for (const bench of [benchCalls, benchParsing, benchMemory, benchRestart]) results.push(...(await bench(progress)))
  return results
}
