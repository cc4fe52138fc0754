// The audit that runs in this tab. It goes on while a person looks at other pages, and each page says so.
import { useEffect, useState } from 'preact/hooks'
import { audit, type Run } from '#dashboard/operator/audit-run.ts'

type Audit = { readonly run: Run | null; readonly isUnderWay: boolean }

class RunningAudit {
  #state: Audit = { run: null, isUnderWay: false }
  #under: AbortController | null = null
  readonly #listeners = new Set<(state: Audit) => void>()

  get state(): Audit {
    return this.#state
  }

  follow(listener: (state: Audit) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async start(): Promise<void> {
    if (this.#state.isUnderWay) return
    this.#under = new AbortController()
    this.#show({ run: null, isUnderWay: true })
    // The browser asks before the tab is closed or loaded again, which would end it.
    addEventListener('beforeunload', keepOpen)
    try {
      await audit((run) => this.#show({ run, isUnderWay: true }), this.#under.signal)
    } finally {
      removeEventListener('beforeunload', keepOpen)
      this.#show({ ...this.#state, isUnderWay: false })
    }
  }

  stop(): void {
    this.#under?.abort()
  }

  #show(state: Audit): void {
    this.#state = state
    for (const listener of this.#listeners) listener(state)
  }
}

const keepOpen = (event: BeforeUnloadEvent): void => event.preventDefault()

const running = new RunningAudit()

/** Returns the audit of this tab, on any page. */
export function useAudit(): Audit & { start(): void; stop(): void } {
  const [state, setState] = useState(running.state)
  useEffect(() => running.follow(setState), [])
  return { ...state, start: () => void running.start(), stop: () => running.stop() }
}
