// Recurring billing: charges on Solana's own runtime; and over a million subscriptions the selection of due charges, and the reading
// of allowances.
import { openWorkplace, type Workplace } from '../harness/workplace.ts'
import type { BenchResult } from '../result.ts'
import { benchCharging } from './charging.ts'
import { benchNoticing } from './noticing.ts'
import { benchSelecting } from './selecting.ts'

type Progress = (line: string) => void
type Part = (workplace: Workplace, progress: Progress) => Promise<readonly BenchResult[]>

export const benchCharges = (progress: Progress): Promise<readonly BenchResult[]> => benchAll([benchCharging], progress)

export const benchBilling = (progress: Progress): Promise<readonly BenchResult[]> =>
  benchAll([benchSelecting, benchNoticing], progress)

async function benchAll(parts: readonly Part[], progress: Progress): Promise<readonly BenchResult[]> {
  await using cleanup = new AsyncDisposableStack()
  const workplace = await openWorkplace()
  cleanup.defer(() => workplace.close())
  const results: BenchResult[] = []
  for (const part of parts) results.push(...(await part(workplace, progress)))
  return results
}
