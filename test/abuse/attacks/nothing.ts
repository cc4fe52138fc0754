// The baseline of the measurement: the shop, the memory and the machine without an attack.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from '../attack.ts'

export const nothing: Attack = {
  name: 'nothing',
  what: 'no attack at all',
  isCheap: true,
  async run(_, signal) {
    while (!signal.aborted) await sleep(1_000, undefined, { signal }).catch(() => {})
    return { count: 1, did: 'nothing', faults: 0 }
  },
}
