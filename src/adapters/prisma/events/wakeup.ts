// A signal between a notifier and one waiter.

export type Wakeup = {
  /** A notice that comes between two waits is kept. */
  notify(): void
  /** Resolves after a notice, or after `ms` milliseconds where they are given. Resolves to false once the signal aborts. */
  wait(ms?: number): Promise<boolean>
}

export function createWakeup(signal: AbortSignal): Wakeup {
  let isNotified = false
  let wake = () => {}
  const notify = () => {
    isNotified = true
    wake()
  }
  signal.addEventListener('abort', () => wake(), { once: true })
  return {
    notify,
    async wait(ms) {
      if (!isNotified && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms)
        await promise
        clearTimeout(timer)
      }
      isNotified = false
      return !signal.aborted
    },
  }
}
