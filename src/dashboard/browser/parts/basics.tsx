// The parts that every page of the dashboard is made of.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Fault } from '#dashboard/browser/fault.ts'
import { reasonIn, useWords } from '#dashboard/browser/say.tsx'
import { shortened } from '#pay/views/formats.ts'

type Children = { readonly children?: ComponentChildren }

/** A page: its title, what can be done about the whole of it, and its content. */
export function Page({ title, actions, children }: Children & { title: string; actions?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { say } = useWords()
  useEffect(() => {
    document.title = `${title} · ${say('dashboard')}`
  }, [title, say])
  // A new page is read from its top, by people who hear it as well.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <>
      <div class="head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions}
      </div>
      {children}
    </>
  )
}

type CardProps = Children & {
  readonly title?: string
  readonly class?: string
  /** Where a link leads to it. */
  readonly id?: string
}

export const Card = ({ title, children, class: look = '', id }: CardProps) => (
  <section class={`panel ${look}`} id={id}>
    {title && <h2>{title}</h2>}
    {children}
  </section>
)

type ButtonProps = Children & {
  readonly onPress: () => void
  readonly kind?: 'primary' | 'plain' | 'danger'
  readonly isBusy?: boolean
  readonly isDisabled?: boolean
}

/** A button that is busy keeps the focus of the keyboard. */
export const Button = ({ children, onPress, kind = 'plain', isBusy = false, isDisabled = false }: ButtonProps) => (
  <button
    type="button"
    class={`button ${kind}`}
    disabled={isDisabled}
    aria-disabled={isBusy || undefined}
    aria-busy={isBusy || undefined}
    onClick={() => {
      if (!isBusy) onPress()
    }}
  >
    {children}
  </button>
)

/** Says why something did not work: in the language of the page, or as the service says it. */
export function FaultNotice({ fault }: { fault: Fault | null }) {
  const words = useWords()
  if (fault === null) return null
  return (
    <p class="notice" role="alert">
      {reasonIn(words, fault)}
    </p>
  )
}

const COPIED_MS = 2_000

/** Shows a text, or its ends when it is an address, an id or a signature, and copies the whole. Paper has all of it. */
export function Copyable({ text, isLong = false, href }: { text: string; isLong?: boolean; href?: string | null }) {
  const shown = isLong ? shortened(text) : text
  const content = isLong ? (
    <span class="ends" data-whole={text}>
      {shown}
    </span>
  ) : (
    text
  )
  return (
    <span class="copyable">
      {href ? (
        <a href={href} target="_blank" rel="noreferrer" dir="ltr" title={text}>
          {content}
        </a>
      ) : (
        <code dir="ltr" title={isLong ? text : undefined}>
          {content}
        </code>
      )}
      <Copy text={text} name={shown} />
    </span>
  )
}

/** Copies a text. `name` says which, to people who hear it. */
function Copy({ text, name }: { text: string; name: string }) {
  const { say } = useWords()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true))
  return (
    <>
      <button type="button" class="copy" onClick={copy} aria-label={`${say('copy')}: ${name}`}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d={copied ? 'M3 8.5l3.5 3.5L13 5' : 'M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z'} />
        </svg>
      </button>
      <span class="hidden" role="status">
        {copied ? say('copied') : ''}
      </span>
    </>
  )
}

/** Shows a text for machines as it is, and copies it. `name` says which, to people who hear it. */
export const Code = ({ text, name }: { text: string; name: string }) => (
  <div class="code" dir="ltr">
    <pre>{text}</pre>
    <Copy text={text} name={name} />
  </div>
)

/** Shows a value as JSON, without what the connection has added to it. */
export const JsonCode = ({ value, name }: { value: unknown; name: string }) => (
  <Code name={name} text={JSON.stringify(value, (key, part) => (key === '__typename' ? undefined : part), 2)} />
)

/** A time where the reader is, and in UTC on hover. */
export function Time({ iso, isExact = false }: { iso: string; isExact?: boolean }) {
  const { time, exactTime, utc } = useWords()
  return (
    <time dateTime={iso} title={utc(iso)}>
      {isExact ? exactTime(iso) : time(iso)}
    </time>
  )
}

type Column<Row> = {
  readonly label: string
  /** Figures stand below each other at the end of the column; so does what can be done, without a label that is seen. */
  readonly kind?: 'number' | 'actions'
  cell(row: Row): ComponentChildren
}

type TableProps<Row> = {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  keyOf(row: Row): string
}

/** A table; on a phone each row is a card, whose cells have the labels of their columns. */
export const Table = <Row,>({ label, columns, rows, keyOf }: TableProps<Row>) => (
  <table aria-label={label}>
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column.label} scope="col" class={column.kind}>
            {column.kind === 'actions' ? <span class="hidden">{column.label}</span> : column.label}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          {columns.map((column) => (
            <td key={column.label} data-label={column.label} class={column.kind}>
              {column.cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

/** Facts by their names. */
export const Facts = ({ children }: Children) => <dl class="facts">{children}</dl>

export const Fact = ({ label, children }: Children & { label: string }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

export const Empty = ({ title, children }: Children & { title: string }) => (
  <div class="empty">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
)

export function Loading() {
  const { say } = useWords()
  return (
    <p class="loading" role="status">
      {say('loading')}
    </p>
  )
}

type DialogProps = Children & {
  readonly title: string
  /** Called when the dialog is left by the keyboard. Without it only what is in the dialog ends it. */
  readonly onClose: (() => void) | null
}

/** A dialog that is open while it is shown. What had the focus before has it again afterwards. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const open = () => dialog.current?.showModal()
  useEffect(() => {
    const before = document.activeElement
    open()
    return () => {
      // While the dialog is there, nothing else can have the focus.
      if (before instanceof HTMLElement) queueMicrotask(() => before.focus())
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onCancel={(event) => {
        if (onClose === null) event.preventDefault()
      }}
      // A browser closes it at the second try all the same.
      onClose={onClose ?? open}
    >
      <h2>{title}</h2>
      {children}
    </dialog>
  )
}
