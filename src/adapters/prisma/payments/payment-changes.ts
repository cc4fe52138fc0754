// Changes of intents, by the notices that instances send each other.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { INTENT_CHANGED } from '#adapters/prisma/engine/notices.ts'
import type { IntentChanges, IntentWatch } from '#ports/payments.ts'

/** The steps of a payment change it several times in a row: a single read is enough for them. */
const COALESCE_MS = 250

export async function createIntentChanges(db: Pick<Database, 'listen'>): Promise<IntentChanges> {
  const watches = new Map<string, Set<Watch>>()
  const wake = (intentId: string): void => {
    for (const watch of watches.get(intentId) ?? []) watch.wake()
  }
  // Notices from before a reconnect are lost.
  const wakeAll = (): void => {
    for (const intentId of watches.keys()) wake(intentId)
  }
  await db.listen(INTENT_CHANGED, wake, wakeAll)
  return {
    watch(intentId, signal) {
      const own = watches.get(intentId) ?? new Set()
      const watch = new Watch(() => {
        own.delete(watch)
        if (own.size === 0 && watches.get(intentId) === own) watches.delete(intentId)
      })
      watches.set(intentId, own.add(watch))
      if (signal?.aborted) watch.close()
      else signal?.addEventListener('abort', () => watch.close(), { once: true })
      return watch
    },
  }
}

class Watch implements IntentWatch {
  readonly #forget: () => void
  readonly #ended = new AbortController()
  #changed = false
  #waiting = new AbortController()

  constructor(forget: () => void) {
    this.#forget = forget
  }

  wake(): void {
    this.#changed = true
    this.#waiting.abort()
  }

  async next(ms: number): Promise<number> {
    const start = performance.now()
    this.#waiting = new AbortController()
    if (!this.#changed) await this.#sleep(ms, this.#waiting.signal)
    const left = COALESCE_MS - (performance.now() - start)
    if (this.#changed && left > 0) await this.#sleep(left)
    this.#changed = false
    return performance.now() - start
  }

  close(): void {
    this.#forget()
    this.#ended.abort()
  }

  async #sleep(ms: number, ...until: readonly AbortSignal[]): Promise<void> {
    const signal = AbortSignal.any([this.#ended.signal, ...until])
    await sleep(ms, undefined, { signal }).catch(() => {})
  }
}
