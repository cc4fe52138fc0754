// Where held money goes: the buyer enters an address, and the business decides. The link proves the order, and not the person.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { PaymentStateFragment } from '#pay/documents.generated.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { Copyable, Notice, Status, type Tone } from '#pay/views/parts.tsx'
import { Press } from '#pay/views/press.tsx'
import type { Checkout } from './checkout.ts'

type Given = { readonly checkout: Checkout }
type Proposal = NonNullable<NonNullable<PaymentStateFragment['refundAddress']>['proposal']>

type Words = { readonly tone: Tone; readonly title: TextKey; readonly text: TextKey }

const WORDS: Readonly<Record<Exclude<Proposal['status'], 'closed'>, Words>> = {
  proposed: { tone: 'waiting', title: 'addressProposedTitle', text: 'addressProposedText' },
  approved: { tone: 'good', title: 'addressApprovedTitle', text: 'addressApprovedText' },
  not_sent: { tone: 'attention', title: 'addressNotSentTitle', text: 'addressNotSentText' },
  declined: { tone: 'attention', title: 'addressDeclinedTitle', text: 'addressDeclinedText' },
}

/** Asks for an address while held money could go there, and shows how far the last one is. */
export function RefundAddress({ checkout }: Given) {
  const { say } = usePage()
  const { refundAddress } = checkout.payment
  if (refundAddress === null) return null
  const { isWanted, proposal } = refundAddress
  const waits = proposal?.status === 'proposed'
  return (
    <>
      {proposal !== null && <Last proposal={proposal} merchant={checkout.payment.merchantName} />}
      {isWanted && !waits && <Ask checkout={checkout} />}
      {isWanted && waits && (
        <details>
          <summary>{say('otherAddress')}</summary>
          <Ask checkout={checkout} />
        </details>
      )}
    </>
  )
}

function Last({ proposal, merchant }: { proposal: Proposal; merchant: string }) {
  const { say } = usePage()
  const { address, status, reason } = proposal
  if (status === 'closed') return null
  const { tone, title, text } = WORDS[status]
  return (
    <>
      <Status tone={tone} title={say(title)} text={say(text, { merchant })} />
      {reason !== null && (
        <blockquote>
          <bdi>{reason}</bdi>
        </blockquote>
      )}
      <Copyable label={say('yourAddress')} text={address} />
    </>
  )
}

const IS_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

function Ask({ checkout }: Given) {
  const { say } = usePage()
  const { merchantName: merchant } = checkout.payment
  const input = useRef<HTMLInputElement>(null)
  const [isMistaken, setMistaken] = useState(false)
  const propose = checkout.proposeAddress(() => input.current?.value.trim() ?? '')
  const isRefused = propose.attempt?.fault === 'invalidAddress'
  const isWrong = isMistaken || isRefused
  useEffect(() => {
    if (isWrong) input.current?.focus()
  }, [isWrong])
  return (
    <form
      class="details"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const isAddress = IS_ADDRESS.test(input.current?.value.trim() ?? '')
        setMistaken(!isAddress)
        if (isAddress) propose.run()
      }}
    >
      <h2>{say('addressTitle')}</h2>
      <p>{say('addressText', { merchant })}</p>
      <p class="hint" id="address-warning">
        {say('addressWarning')}
      </p>
      <label>
        {say('yourAddress')}
        <input
          ref={input}
          name="address"
          dir="ltr"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={60}
          aria-required
          aria-invalid={isWrong || undefined}
          aria-describedby={isWrong ? 'address-fault address-warning' : 'address-warning'}
        />
      </label>
      {isWrong && <Notice id="address-fault">{say('invalidAddress')}</Notice>}
      <Press action={isWrong ? { ...propose, attempt: null } : propose} type="submit">
        {say('proposeAddress', { merchant })}
      </Press>
    </form>
  )
}
