// Measures the time from the creation of a payment to its first webhook.
import { setTimeout as sleep } from 'node:timers/promises'
import { type AttackedService, createPayment } from './service.ts'

/** Both in milliseconds, from the request that creates the payment. */
export type HookWait = { readonly hookMs: number; readonly createdMs: number }

export type HookProbe = {
  /** Creates a payment a second until the signal aborts. Returns the longest wait when all waits have ended. */
  slowest(signal: AbortSignal): Promise<HookWait>
}

const BETWEEN_MS = 1_000
const MAX_MS = 30_000
/** The result where a payment could not be created. */
const NOT_CREATED: HookWait = { hookMs: MAX_MS, createdMs: MAX_MS }

export function createHookProbe({ url, shopKey, receiver }: AttackedService): HookProbe {
  async function waitFor(): Promise<HookWait> {
    const began = performance.now()
    const { id } = await createPayment(url, shopKey)
    const createdMs = performance.now() - began
    const isOurs = (body: string): boolean => body.includes('"intent.created"') && body.includes(id)
    let read = Math.max(0, receiver.received.length - 1_000)
    while (performance.now() - began < MAX_MS) {
      for (; read < receiver.received.length; read += 1) {
        const one = receiver.received[read]
        if (one !== undefined && isOurs(one.body)) return { hookMs: one.at - began, createdMs }
      }
      await sleep(5)
    }
    return { hookMs: MAX_MS, createdMs }
  }
  return {
    async slowest(signal) {
      const waits: Promise<HookWait>[] = []
      while (!signal.aborted) {
        waits.push(waitFor().catch(() => NOT_CREATED))
        await sleep(BETWEEN_MS, undefined, { signal }).catch(() => {})
      }
      const ended = await Promise.all(waits)
      return ended.reduce((one, other) => (other.hookMs > one.hookMs ? other : one))
    },
  }
}
