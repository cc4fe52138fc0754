// The way back to the business, when nothing is left to do on a page.
import { useEffect, useState } from 'preact/hooks'
import { usePage } from '#pay/views/context.tsx'
import { Button } from '#pay/views/parts.tsx'

const RETURN_AFTER_SECONDS = 5
const SPOKEN_SECONDS = RETURN_AFTER_SECONDS - 1

type BackProps = { readonly url: string | null; readonly merchant: string; readonly isPrimary?: boolean }

export function Back({ url, merchant, isPrimary = false }: BackProps) {
  const { say } = usePage()
  if (url === null) return null
  return (
    <a class={`button ${isPrimary ? 'primary' : 'plain'}`} href={url} rel="noreferrer">
      <span class="back">{say('backTo', { merchant })}</span>
    </a>
  )
}

/** Goes back to the business by itself where it `goes`, unless the person stays. WCAG 2.2, 2.2.1. */
export function Return({ url, merchant, goes }: { url: string | null; merchant: string; goes: boolean }) {
  const { say, formats } = usePage()
  const [secondsLeft, setSecondsLeft] = useState(RETURN_AFTER_SECONDS)
  const [stays, setStays] = useState(false)
  const isGoing = url !== null && goes && !stays
  useEffect(() => {
    if (!isGoing) return
    if (secondsLeft === 0) return location.assign(url)
    const timer = setTimeout(() => setSecondsLeft(secondsLeft - 1), 1_000)
    return () => clearTimeout(timer)
  }, [secondsLeft, isGoing])
  return (
    <>
      {/* A live region has to be there before its text. It speaks once, and not each second. */}
      <div class="hidden" role="status">
        {isGoing && secondsLeft < RETURN_AFTER_SECONDS && say('returning', { time: formats.countdown(SPOKEN_SECONDS) })}
      </div>
      {isGoing && (
        <p class="hint" role="timer">
          {say('returning', { time: formats.countdown(secondsLeft) })}
        </p>
      )}
      <Back url={url} merchant={merchant} isPrimary />
      {isGoing && (
        <Button kind="plain" onPress={() => setStays(true)}>
          {say('stayHere')}
        </Button>
      )}
    </>
  )
}
