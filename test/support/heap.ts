// Memory in use, for tests of memory limits.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Returns the bytes of the heap in use after a full garbage collection. */
export async function heapInUse(): Promise<number> {
  // Pending tasks free the memory of the last messages.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  return process.memoryUsage().heapUsed
}
