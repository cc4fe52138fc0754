// Subscribes with a wallet: it signs the allowance, or a text where the allowance is large enough already.
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from '#pay/browser/ask.ts'
import { prove } from '#pay/browser/proof.ts'
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
import { useGiveUp } from '#pay/views/use-give-up.ts'
import { useLive } from '#pay/views/use-live.ts'

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
  const sent = useRef<Offer<Prepared> | null>(null)
  const charge = checkout.firstCharge?.status

  const { isOffline } = useLive(
    {
      api: site.api,
      read: CheckoutPageDocument,
      changes: CheckoutChangesDocument,
      variables: { token },
      everyMs: () => READ_AGAIN_MS,
    },
    // The URLs for the return were judged by the server.
    ({ checkout: { successUrl: _success, cancelUrl: _cancel, ...now } }) =>
      setCheckout((known) => ({ ...known, ...now })),
  )

  // What happens to the checkout or to its charge ends the wait.
  useEffect(() => setStep(null), [checkout.status, charge])
  useGiveUp(
    step,
    () => (sent.current === null ? 0 : shownWithin(sent.current)),
    () => {
      setStep(null)
      setFault('notSubscribed')
    },
  )

  const run = async (wallet: Wallet): Promise<void> => {
    setStep('preparing')
    const account = await connect(wallet, site.chain)
    const source = {
      name: account.address,
      prepare: async () => (await ask(site.api, PrepareCheckoutDocument, { token, wallet: account.address })).prepared,
    }
    const offer = await signing.offer(source)
    const { reply: prepared } = offer
    const send = async (outcome: Outcome): Promise<void> => {
      // A wallet that has sent the transaction by itself leaves nothing to do.
      if ('sent' in outcome) return
      const transaction = toBase64(outcome.signed)
      await ask(site.api, ActivateCheckoutDocument, { token, subscriptionId: prepared.subscriptionId, transaction })
    }
    setStep('confirmInWallet')
    if (prepared.transaction !== null) {
      const outcome = await signing.sign({ wallet, account }, offer, source, send)
      sent.current = offer
      setStep('waitingForChain')
      setSigned(true)
      await send(outcome)
    } else if (prepared.challenge !== null) {
      const proof = await prove(wallet, account, prepared.challenge)
      setStep('sending')
      setSigned(true)
      await ask(site.api, ConfirmCheckoutDocument, { token, wallet: account.address, ...proof })
    }
  }

  const attempt = (action: () => Promise<void>): void => {
    setFault(null)
    action().catch((error: unknown) => {
      setStep(null)
      setFault(faultOf(error, 'notSubscribed'))
    })
  }

  return {
    checkout,
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
