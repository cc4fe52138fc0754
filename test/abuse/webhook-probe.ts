// Measures the time from the creation of a payment to its first webhook.
import { setTimeout as sleep } from 'node:timers/promises'
import { type AttackedService, createPayment } from './service.ts'

export type HookProbe = {
  /**
   * Creates a payment a second until the signal aborts. Returns the longest wait in milliseconds when all waits have
   * ended.
   */
  slowest(signal: AbortSignal): Promise<number>
}

const BETWEEN_MS = 1_000
const MAX_MS = 30_000

export function createHookProbe({ url, shopKey, receiver }: AttackedService): HookProbe {
  async function waitFor(): Promise<number> {
    const began = performance.now()
    const { id } = await createPayment(url, shopKey)
    const isOurs = (body: string): boolean => body.includes('"intent.created"') && body.includes(id)
    let read = Math.max(0, receiver.received.length - 1_000)
    while (performance.now() - began < MAX_MS) {
      for (; read < receiver.received.length; read += 1) {
        const one = receiver.received[read]
        if (one !== undefined && isOurs(one.body)) return one.at - began
      }
      await sleep(5)
    }
    return MAX_MS
  }
  return {
    async slowest(signal) {
      const waits: Promise<number>[] = []
      while (!signal.aborted) {
        waits.push(waitFor().catch(() => MAX_MS))
        await sleep(BETWEEN_MS, undefined, { signal }).catch(() => {})
      }
      return Math.max(...(await Promise.all(waits)))
    },
  }
}
