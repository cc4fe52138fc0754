// Memory that is really in use, for bounds on it.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Returns the bytes of the heap in use after all garbage is collected. */
export async function heapInUse(): Promise<number> {
  // What the last messages left is released by tasks that have yet to run.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  return process.memoryUsage().heapUsed
}
