/**
 * Calls `isSo` until it returns true: every few milliseconds at first, and less often the longer it takes, so that the wait
 * leaves the processor to what it waits for. Fails after `timeoutMs`.
 */
export async function until(isSo: () => boolean | Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const started = performance.now()
  while (!(await isSo())) {
    const passed = performance.now() - started
    if (passed > timeoutMs) throw new Error(`not so within ${timeoutMs} ms: ${isSo}`)
    await new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_MS, SHORTEST_MS + passed / 10)))
  }
}

const SHORTEST_MS = 5
const LONGEST_MS = 100
