// Subscribes with a wallet: it signs the allowance, or a text where the allowance is large enough already.
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from '#pay/browser/ask.ts'
import { prove } from '#pay/browser/proof.ts'
import { sleep, untilAnswered } from '#pay/browser/until-answered.ts'
import { connect, type Outcome, toBase64, type Wallet } from '#pay/browser/wallets.ts'
import {
  ActivateCheckoutDocument,
  CheckoutChangesDocument,
  CheckoutPageDocument,
  type CheckoutStateFragment,
  ConfirmCheckoutDocument,
  PrepareCheckoutDocument,
  type PrepareCheckoutMutation,
  RetryFirstChargeDocument,
} from '#pay/documents.generated.ts'
import type { CheckoutState } from '#pay/subscription/state.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { faultOf } from '#pay/views/faults.ts'
import { type Offer, shownWithin, useSigning } from '#pay/views/signing.ts'
import { useLive } from '#pay/views/use-live.ts'
import { useSecondsLeft } from '#pay/views/use-seconds-left.ts'

export type Subscribing = {
  readonly checkout: CheckoutStateFragment
  /** What is under way; null when nothing is. */
  readonly step: TextKey | null
  readonly fault: TextKey | null
  /** How long the wallet can still sign; null while it is not asked for a transaction. */
  readonly secondsLeft: number | null
  readonly isOffline: boolean
  /** The subscriber signed here, and did not open a page that was completed before. */
  readonly hasSigned: boolean
  subscribe(wallet: Wallet): void
  retry(): void
}

/** A token has 30 calls a minute, and its subscriber needs some of them. */
const READ_AGAIN_MS = 5_000

type Prepared = NonNullable<PrepareCheckoutMutation['prepared']>

export function useSubscribing({ token, checkout: initial }: CheckoutState): Subscribing {
  const { site } = usePage()
  const [checkout, setCheckout] = useState(initial)
  const [step, setStep] = useState<TextKey | null>(null)
  const [fault, setFault] = useState<TextKey | null>(null)
  const [hasSigned, setSigned] = useState(false)
  const signing = useSigning<Prepared>()
  const charge = checkout.firstCharge?.status
  const clock = useSecondsLeft(checkout.expiresInSeconds)

  /** The URLs for the return were judged by the server. */
  const take = ({ successUrl: _success, cancelUrl: _cancel, ...now }: CheckoutStateFragment) =>
    setCheckout((known) => ({ ...known, ...now }))
  const { isOffline, refresh } = useLive(
    {
      api: site.api,
      read: CheckoutPageDocument,
      changes: CheckoutChangesDocument,
      variables: { token },
      everyMs: () => READ_AGAIN_MS,
    },
    (now) => take(now.checkout),
  )

  /** The signature whose effect is waited for; null when none is. */
  const waiting = useRef<Offer<Prepared> | null>(null)
  const showStep = (offer: Offer<Prepared>, now: TextKey) => waiting.current === offer && setStep(now)

  // What happens to the checkout or to its charge ends the wait.
  useEffect(() => {
    waiting.current = null
    setStep(null)
  }, [checkout.status, charge])

  /** Throws when a transaction that was sent can no longer land, and has changed nothing. */
  const untilChanged = async (offer: Offer<Prepared>): Promise<void> => {
    await sleep(shownWithin(offer))
    const read = () => ask(site.api, CheckoutPageDocument, { token })
    take((await untilAnswered(read, { onUnknown: () => showStep(offer, 'notKnownYet') })).checkout)
    // A change has ended the wait once it is shown.
    await sleep(0)
    if (waiting.current === offer) throw new Error('the transaction has not landed')
  }

  const run = async (wallet: Wallet): Promise<void> => {
    setStep('preparing')
    const account = await connect(wallet, site.chain)
    const source = {
      name: account.address,
      prepare: async () => (await ask(site.api, PrepareCheckoutDocument, { token, wallet: account.address })).prepared,
    }
    const offer = await signing.offer(source)
    const { reply: prepared } = offer
    const onUnknown = () => showStep(offer, 'notKnownYet')
    const send = async (outcome: Outcome): Promise<void> => {
      // A wallet that has sent the transaction by itself leaves nothing to do.
      if ('sent' in outcome) return
      const given = { token, subscriptionId: prepared.subscriptionId, transaction: toBase64(outcome.signed) }
      await untilAnswered(() => ask(site.api, ActivateCheckoutDocument, given), { onUnknown })
      showStep(offer, 'waitingForChain')
    }
    setStep('confirmInWallet')
    if (prepared.transaction !== null) {
      const outcome = await signing.sign({ wallet, account }, offer, source, send)
      waiting.current = offer
      setStep('sent' in outcome && outcome.sent === 'unknown' ? 'notKnownYet' : 'waitingForChain')
      setSigned(true)
      await send(outcome)
      await untilChanged(offer)
    } else if (prepared.challenge !== null) {
      const proof = await prove(wallet, account, prepared.challenge)
      waiting.current = offer
      setStep('sending')
      setSigned(true)
      const given = { token, wallet: account.address, ...proof }
      await untilAnswered(() => ask(site.api, ConfirmCheckoutDocument, given), { onUnknown })
    }
  }

  const attempt = (action: () => Promise<void>): void => {
    setFault(null)
    action().catch((error: unknown) => {
      setStep(null)
      setFault(faultOf(error, 'notSubscribed'))
      // What refuses may have changed the checkout: its time is over, for example.
      refresh()
    })
  }

  // What was signed in time completes a checkout after its end, too.
  const isOver = checkout.status === 'open' && clock === 0 && step === null

  return {
    checkout: isOver ? { ...checkout, status: 'expired' } : checkout,
    step,
    fault,
    secondsLeft: signing.secondsLeft,
    isOffline,
    hasSigned,
    subscribe: (wallet) => attempt(() => run(wallet)),
    retry: () =>
      attempt(async () => {
        setStep('sending')
        await ask(site.api, RetryFirstChargeDocument, { token })
      }),
  }
}
