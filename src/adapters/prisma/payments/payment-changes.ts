// Changes of intents, by the notices that instances send each other.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { INTENT_CHANGED } from '#adapters/prisma/engine/notices.ts'
import { createWakes } from '#adapters/prisma/events/follower.ts'
import type { IntentChanges } from '#ports/payments.ts'

/** The steps of a payment change it several times in a row: a single read is enough for them. */
const COALESCE_MS = 250

export async function createIntentChanges(db: Pick<Database, 'listen'>): Promise<IntentChanges> {
  const wakes = await createWakes(db, INTENT_CHANGED)
  return {
    watch(intentId, signal) {
      const ended = new AbortController()
      /** Aborts at a change. */
      let unchanged = new AbortController()
      const leave = wakes.subscribe(intentId, () => unchanged.abort())
      const close = () => {
        leave()
        ended.abort()
      }
      if (signal?.aborted) close()
      else signal?.addEventListener('abort', close, { once: true })
      return {
        async next(ms) {
          const start = performance.now()
          await pause(ms, ended.signal, unchanged.signal)
          const left = COALESCE_MS - (performance.now() - start)
          if (unchanged.signal.aborted && left > 0) await pause(left, ended.signal)
          unchanged = new AbortController()
          return performance.now() - start
        },
        close,
      }
    },
  }
}

async function pause(ms: number, ...until: readonly AbortSignal[]): Promise<void> {
  await sleep(ms, undefined, { signal: AbortSignal.any([...until]) }).catch(() => {})
}
