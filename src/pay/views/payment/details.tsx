// The details that the business asks for.
import { useState } from 'preact/hooks'
import { usePage } from '#pay/views/context.tsx'
import { Notice } from '#pay/views/parts.tsx'
import type { Checkout } from '#pay/views/payment/checkout.ts'

export function Details({ checkout }: { checkout: Checkout }) {
  const { say } = usePage()
  const { details, payment, fault, isBusy } = checkout
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({})
  const field = (
    name: 'firstName' | 'lastName' | 'email',
    autocomplete: string,
    inputMode: 'text' | 'email' = 'text',
  ) => (
    <label>
      {say(name)}
      <input
        name={name}
        inputMode={inputMode}
        autocomplete={autocomplete}
        required
        value={given[name] ?? ''}
        onInput={({ currentTarget }) => setGiven({ ...given, [name]: currentTarget.value })}
      />
    </label>
  )
  return (
    <form
      class="details"
      onSubmit={(event) => {
        event.preventDefault()
        void checkout.saveDetails(given)
      }}
    >
      <h2>{say('yourDetails')}</h2>
      <p class="hint">{say('detailsReason', { merchant: payment.merchantName })}</p>
      {details.includes('name') && field('firstName', 'given-name')}
      {details.includes('name') && field('lastName', 'family-name')}
      {details.includes('email') && field('email', 'email', 'email')}
      <button class="button plain" type="submit" disabled={isBusy}>
        {say('save')}
      </button>
      {fault !== null && <Notice>{say(fault)}</Notice>}
    </form>
  )
}
