// The end of a wait for the network: a transaction that does not land is void after a while, and the person can try again.
import { useEffect } from 'preact/hooks'
import type { TextKey } from '#pay/texts/texts.ts'

/** Calls `giveUp` when `step` has been `waitingForChain` for as long as `afterMs` says at its begin. */
export function useGiveUp(step: TextKey | null, afterMs: () => number, giveUp: () => void): void {
  useEffect(() => {
    if (step !== 'waitingForChain') return
    const timer = setTimeout(giveUp, afterMs())
    return () => clearTimeout(timer)
  }, [step])
}
