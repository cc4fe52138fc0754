// A press of an action, with what becomes of it in the same place.
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { Action, Attempt } from '#pay/views/actions.ts'
import { usePage } from '#pay/views/context.tsx'
import { Button, Notice } from '#pay/views/parts.tsx'
import { useSecondsLeft } from './use-live.ts'

type Props = {
  readonly action: Action
  readonly children: ComponentChildren
  readonly class?: string
  readonly type?: 'button' | 'submit'
  readonly disabled?: boolean
}

/** A button that is busy keeps the focus of the keyboard. */
export const Press = ({ action, children, class: look = 'button primary', type = 'button', disabled }: Props) => (
  <>
    <button
      type={type}
      class={look}
      disabled={disabled}
      aria-disabled={action.isBusy || undefined}
      aria-busy={isUnderWay(action.attempt) || undefined}
      onClick={(event) => {
        if (action.isBusy) return event.preventDefault()
        if (type === 'button') action.run()
      }}
    >
      {children}
    </button>
    <Course attempt={action.attempt} />
  </>
)

const isUnderWay = (attempt: Attempt | null): boolean => attempt !== null && attempt.step !== null

type ConfirmedProps = {
  readonly action: Action
  readonly question: string
  readonly yes: string
  readonly no: string
  readonly class?: string
  /** What `yes` does cannot be taken back, unless it says otherwise. */
  readonly kind?: 'danger' | 'primary'
  /** What is pressed; `yes` when left out. */
  readonly children?: ComponentChildren
  readonly disabled?: boolean
}

/** Asks before it does something. */
export function Confirmed(props: ConfirmedProps) {
  const {
    action,
    question,
    yes,
    no,
    class: look = 'button plain',
    kind = 'danger',
    children = yes,
    disabled = false,
  } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const ask = { ...action, run: () => dialog.current?.showModal() }
  return (
    <>
      <Press action={ask} class={look} disabled={disabled}>
        {children}
      </Press>
      <dialog ref={dialog} aria-label={question}>
        <p>{question}</p>
        <div class="actions">
          <Button kind="plain" onPress={() => dialog.current?.close()}>
            {no}
          </Button>
          <Button
            kind={kind}
            onPress={() => {
              dialog.current?.close()
              action.run()
            }}
          >
            {yes}
          </Button>
        </div>
      </dialog>
    </>
  )
}

/** Shows why an attempt has failed, or when it goes on by itself. */
export function Course({ attempt }: { attempt: Attempt | null }) {
  const { say } = usePage()
  if (attempt?.waitSeconds) return <Wait key={attempt.waitSeconds} seconds={attempt.waitSeconds} />
  return attempt?.fault ? <Notice>{say(attempt.fault)}</Notice> : null
}

function Wait({ seconds }: { seconds: number }) {
  const { say, formats } = usePage()
  return (
    <div class="notice row">
      <p role="alert">{say('againByItself')}</p>
      <span class="clock" role="timer">
        {formats.countdown(useSecondsLeft(seconds))}
      </span>
    </div>
  )
}
