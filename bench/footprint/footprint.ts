// What the service takes of a small server.
import type { BenchResult } from '../result.ts'
import { benchInstalled } from './installed.ts'

export async function benchFootprint(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  return [...(await benchInstalled(progress))]
}
