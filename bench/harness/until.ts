// Waiting for what the service or its chain does in its own time.
import { setTimeout as sleep } from 'node:timers/promises'

const WITHIN_MS = 600_000

/** Resolves when it is so. Throws after ten minutes. */
export async function until(isSo: () => Promise<boolean>, everyMs = 500): Promise<void> {
  const deadline = performance.now() + WITHIN_MS
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('it took too long')
    await sleep(everyMs)
  }
}
