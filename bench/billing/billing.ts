// Recurring billing: charges on Solana's own runtime, the selection of due charges, and the reading of allowances.
import { openWorkplace } from '../harness/workplace.ts'
import type { BenchResult } from '../result.ts'
import { benchCharging } from './charging.ts'
import { benchNoticing } from './noticing.ts'
import { benchSelecting } from './selecting.ts'

export async function benchBilling(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  await using cleanup = new AsyncDisposableStack()
  const workplace = await openWorkplace()
  cleanup.defer(() => workplace.close())
  const results: BenchResult[] = []
  for (const bench of [benchCharging, benchSelecting, benchNoticing])
    results.push(...(await bench(workplace, progress)))
  return results
}
