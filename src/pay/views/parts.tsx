// The parts that pages are made of.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { explorerUrl } from '#core/chain/explorer.ts'
import type { PayBrandFragment } from '#pay/documents.generated.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from './context.tsx'
import { shortened } from './formats.ts'

type Children = { readonly children: ComponentChildren }

type StageProps = Children & {
  /** The business, or what it sells. It is in the title of the document, after how things stand. */
  readonly name?: string
}

/** Shows what the page is about now. Each change is announced, and the title of the document says how things stand. */
export function Stage({ children, name }: StageProps) {
  const stage = useRef<HTMLDivElement>(null)
  useKeptFocus(stage)
  const [said, setSaid] = useState('')
  const known = useRef<{ readonly words: string; readonly title: string } | null>(null)
  useEffect(() => {
    const words = textsOf(stage.current, '.status, .wallet [aria-busy]').join(' ')
    known.current ??= { words, title: document.title }
    if (known.current.words !== words) setSaid(words)
    known.current = { ...known.current, words }
    const [title] = textsOf(stage.current, '.status :is(h1, h2)')
    document.title = title && name ? `${title} · ${name}` : known.current.title
  })
  return (
    <div class="stage" ref={stage} tabIndex={-1}>
      {/* A live region has to be there before its text. */}
      <div class="hidden" role="status">
        {said}
      </div>
      {children}
    </div>
  )
}

const textsOf = (parent: HTMLElement | null, selector: string): readonly string[] =>
  Array.from(parent?.querySelectorAll<HTMLElement>(selector) ?? [], (element) => element.innerText)

/** Moves the focus to what has replaced the focused element, when that is gone. */
function useKeptFocus(stage: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const element = stage.current
    if (element === null) return
    let last: Element | null = null
    const placesNow = () => Array.from(element.querySelectorAll<HTMLElement>('h1, h2, .due'))
    let known = placesNow()
    const observer = new MutationObserver(() => {
      const places = placesNow()
      const place = places.find((one) => !known.includes(one)) ?? places[0] ?? element
      known = places
      if (last === null || last.isConnected || document.activeElement !== document.body) return
      place.setAttribute('tabindex', '-1')
      place.focus()
    })
    observer.observe(element, { childList: true, subtree: true })
    element.addEventListener('focusin', ({ target }) => {
      last = target instanceof Element ? target : null
    })
    return () => observer.disconnect()
  }, [])
}

export type Tone = 'waiting' | 'good' | 'attention' | 'bad'

const SIGNS: Readonly<Record<Tone, string>> = {
  waiting: 'M12 7v5l3 2',
  good: 'M7.5 12.5l3 3 6-7',
  attention: 'M12 7v6m0 3.5v.1',
  bad: 'M8.5 8.5l7 7m0-7l-7 7',
}

type StatusProps = {
  readonly tone: Tone
  readonly title: string
  readonly text?: string
  /** Where the page has no other title. */
  readonly isTitle?: boolean
}

/** Shows how things stand, in a sign and a sentence. */
export const Status = ({ tone, title, text, isTitle = false }: StatusProps) => (
  <div class={`status ${tone}`}>
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="10" />
      <path d={SIGNS[tone]} />
    </svg>
    {isTitle ? <h1 class="name">{title}</h1> : <h2>{title}</h2>}
    {text && <p>{text}</p>}
  </div>
)

type ButtonProps = Children & {
  readonly onPress: () => void
  readonly kind?: 'primary' | 'plain' | 'danger'
  readonly disabled?: boolean
}

export const Button = ({ children, onPress, kind = 'primary', disabled = false }: ButtonProps) => (
  <button type="button" class={`button ${kind}`} onClick={onPress} disabled={disabled}>
    {children}
  </button>
)

/** Shows what did not work. */
export const Notice = ({ children, id }: Children & { readonly id?: string }) => (
  <p class="notice" role="alert" id={id}>
    {children}
  </p>
)

type ConnectionProps = { readonly isOffline: boolean; readonly text?: TextKey }

/** Says that the connection is lost, for as long as the page tries to have it again. It stays in sight. */
export function Connection({ isOffline, text = 'offline' }: ConnectionProps) {
  const { say } = usePage()
  return (
    <div class="connection" role="status">
      {isOffline && <p>{say(text)}</p>}
    </div>
  )
}

const LAST_SECONDS = 60

/** Shows the time that is left of a whole, in seconds. The last minute is announced. */
export function Clock({ secondsLeft, of }: { secondsLeft: number; of: number }) {
  const { say, formats } = usePage()
  const isLast = secondsLeft < LAST_SECONDS
  return (
    <div class={isLast ? 'time last' : 'time'}>
      <p class="row">
        <span role="status">{say(isLast ? 'lastMinute' : 'timeLeft')}</span>
        <span class="clock" role="timer">
          {formats.countdown(secondsLeft)}
        </span>
      </p>
      <progress value={secondsLeft} max={of} aria-hidden="true" />
    </div>
  )
}

export const Row = ({ label, children }: Children & { label: string }) => (
  <div class="row">
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

const COPIED_MS = 2_000

/** Copies a text. */
export function Copy({ text, label = 'copy' }: { text: string; label?: TextKey }) {
  const { say } = usePage()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => {},
    )
  return (
    <button type="button" class="button plain small" onClick={copy}>
      <span aria-live="polite">{say(copied ? 'copied' : label)}</span>
    </button>
  )
}

type CopyableProps = { readonly label: string; readonly text: string; readonly children?: ComponentChildren }

/** Shows a text that is copied whole, or `children` in its place. */
export const Copyable = ({ label, text, children = <code dir="ltr">{text}</code> }: CopyableProps) => (
  <fieldset class="copyable" aria-label={label}>
    <p>
      <span class="hint">{label}</span>
      {children}
    </p>
    <Copy text={text} />
  </fieldset>
)

/** Shows a transaction, with a link to an explorer where one knows the chain. */
export function Transaction({ signature }: { signature: string }) {
  const { site } = usePage()
  const url = explorerUrl(signature, site.chain)
  if (url === null) return <code dir="ltr">{shortened(signature)}</code>
  return (
    <a href={url} target="_blank" rel="noreferrer" dir="ltr">
      {shortened(signature)}
    </a>
  )
}

// The business: its logo, its name, and where its buyers get help.

export const Payee = ({ brand, name }: { brand: PayBrandFragment; name: string }) => (
  <>
    {brand.logoUrl && <img class="brand" src={brand.logoUrl} alt="" height={40} />}
    <p class="payee">
      <bdi>{name}</bdi>
    </p>
  </>
)

export function Support({ brand: { supportUrl, supportEmail } }: { brand: PayBrandFragment }) {
  const { say } = usePage()
  if (supportUrl === null && supportEmail === null) return null
  return (
    <p class="hint support">
      {say('questions')}{' '}
      {supportUrl && (
        <a href={supportUrl} target="_blank" rel="noreferrer">
          {new URL(supportUrl).hostname}
        </a>
      )}{' '}
      {supportEmail && <a href={`mailto:${encodeURIComponent(supportEmail).replace('%40', '@')}`}>{supportEmail}</a>}
    </p>
  )
}

// The way back to the business, when nothing is left to do on a page.

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
