import { useEffect, useRef, useState } from 'preact/hooks'

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
