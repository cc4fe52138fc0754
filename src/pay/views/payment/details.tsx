// The details that the business asks for.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Order } from '#pay/states.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { Notice } from '#pay/views/parts.tsx'
import { Press } from '#pay/views/press.tsx'
import type { Checkout } from './checkout.ts'

const FIELDS = ['firstName', 'lastName', 'email'] as const
type Field = (typeof FIELDS)[number]
type Fault = { readonly field: Field; readonly text: TextKey }

/** As long as the service takes a text. */
const LONGEST = 500

const AT_THE_ENDS = /^[\s\p{Default_Ignorable_Code_Point}]+|[\s\p{Default_Ignorable_Code_Point}]+$/gu
/** No address has them, and no person can see them. */
const INVISIBLE = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu

/** Returns what a person has entered, without what no person means. An empty field is left out. */
function entered(form: HTMLFormElement): Readonly<Record<string, string>> {
  const data = new FormData(form)
  const fields = FIELDS.map((name) => {
    const text = String(data.get(name) ?? '')
    return [name, (name === 'email' ? text.replace(INVISIBLE, '') : text).replace(AT_THE_ENDS, '')]
  })
  return Object.fromEntries(fields.filter(([, text]) => text !== ''))
}

export function Details({ checkout }: { checkout: Checkout }) {
  const { say } = usePage()
  const { details, payment } = checkout
  const form = useRef<HTMLFormElement>(null)
  const [mistake, setMistake] = useState<Fault | null>(null)
  const save = checkout.saveDetails(() => (form.current === null ? {} : entered(form.current)))
  const isRefused = save.attempt?.fault === 'invalidEmail'
  const fault: Fault | null = mistake ?? (isRefused ? { field: 'email', text: 'invalidEmail' } : null)
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [mistake, isRefused])

  const mistakeOf = (given: ReturnType<typeof entered>): Fault | null => {
    // A person may have one name only.
    if (details.includes('name') && !given.firstName) return { field: 'firstName', text: 'nameNeeded' }
    return details.includes('email') && !given.email ? { field: 'email', text: 'invalidEmail' } : null
  }

  const field = (name: Field, autocomplete: string, inputMode: 'text' | 'email' = 'text') => {
    const isWrong = fault?.field === name
    return (
      <>
        <label>
          {say(name)}
          <input
            name={name}
            inputMode={inputMode}
            autocomplete={autocomplete}
            maxLength={LONGEST}
            aria-required={name !== 'lastName'}
            aria-invalid={isWrong || undefined}
            aria-describedby={isWrong ? `${name}-fault` : undefined}
          />
        </label>
        {isWrong && <Notice id={`${name}-fault`}>{say(fault.text)}</Notice>}
      </>
    )
  }
  return (
    <form
      ref={form}
      class="details"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const found = mistakeOf(entered(event.currentTarget))
        setMistake(found)
        if (found === null) save.run()
      }}
    >
      <h2>{say('yourDetails')}</h2>
      <p class="hint">{say('detailsReason', { merchant: payment.merchantName })}</p>
      {details.includes('name') && field('firstName', 'given-name')}
      {details.includes('name') && field('lastName', 'family-name')}
      {details.includes('email') && field('email', 'email', 'email')}
      <Press action={fault === null ? save : { ...save, attempt: null }} class="button plain" type="submit">
        {say('save')}
      </Press>
    </form>
  )
}

// What is bought, in the words of the business.

/** A longer reference is a key of a system, and no number that a person reads. */
const MAX_REFERENCE = 64
/** More lines are folded away, so that the ways to pay stay in sight. */
const SHOWN_LINES = 4

export function OrderView({ order: { reference, description, lineItems } }: { order: Order }) {
  const { say, formats } = usePage()
  return (
    <>
      {description && (
        <p class="description">
          <bdi>{description}</bdi>
        </p>
      )}
      {reference !== null && reference.length <= MAX_REFERENCE && <p class="hint">{say('order', { reference })}</p>}
      {lineItems.length > 0 && (
        <details open={lineItems.length <= SHOWN_LINES}>
          <summary>{say('orderDetails')}</summary>
          <ul class="lines">
            {lineItems.map(({ name, quantity, amountUsdCents }, at) => (
              <li key={at}>
                <span>
                  {quantity > 1 && `${formats.number(quantity)} × `}
                  <bdi>{name}</bdi>
                </span>
                <span>{formats.dollars(amountUsdCents)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
