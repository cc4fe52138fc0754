/** Calls `isSo` every few milliseconds until it returns true; fails after `timeoutMs`. */
export async function until(isSo: () => boolean | Promise<boolean>, timeoutMs = 5_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not so within ${timeoutMs} ms: ${isSo}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
