// The state of a page as the service has it now.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Found } from '#pay/browser/ask.ts'
import { Following, type Source } from '#pay/browser/follow.ts'

export type Live = {
  /** The service does not answer. It is asked again until it does. */
  readonly isOffline: boolean
  /** Reads the state at once. */
  readonly refresh: () => void
}

/** Follows a source as long as the page is open. `onNext` gets each state. */
export function useLive<Read, Change extends Read, Variables extends Record<string, unknown>>(
  source: Source<Read, Change, Variables>,
  onNext: (shown: Found<Read> | Found<Change>) => void,
): Live {
  const [isOffline, setOffline] = useState(false)
  const latest = useRef({ source, onNext })
  latest.current = { source, onNext }
  const following = useRef<{ wake(): void } | null>(null)
  useEffect(() => {
    const now = new Following(
      { ...source, everyMs: () => latest.current.source.everyMs() },
      { onNext: (shown) => latest.current.onNext(shown), onConnection: (answers) => setOffline(!answers) },
    )
    following.current = now
    return () => now.end()
  }, [])
  return { isOffline, refresh: () => following.current?.wake() }
}

/** Counts down from what the service said last, whatever the clock of the device shows. */
export function useSecondsLeft(seconds: number): number {
  const [left, setLeft] = useState(seconds)
  const end = useRef(0)
  useEffect(() => {
    end.current = performance.now() + seconds * 1_000
    const show = () => setLeft(Math.max(0, Math.ceil((end.current - performance.now()) / 1_000)))
    show()
    const timer = setInterval(show, 1_000)
    return () => clearInterval(timer)
  }, [seconds])
  return left
}
