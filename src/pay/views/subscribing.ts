// Subscribes with a wallet: it signs the allowance, or a text where the allowance is large enough already.
import { useEffect, useState } from 'preact/hooks'
import { ask, follow } from '#pay/browser/ask.ts'
import { prove } from '#pay/browser/proof.ts'
import { connect, fromBase64, signTransaction, toBase64, type Wallet } from '#pay/browser/wallets.ts'
import {
  ActivateCheckoutDocument,
  CheckoutChangesDocument,
  type CheckoutStateFragment,
  ConfirmCheckoutDocument,
  PrepareCheckoutDocument,
  RetryFirstChargeDocument,
} from '#pay/documents.generated.ts'
import type { CheckoutState } from '#pay/subscription/state.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { faultOf } from '#pay/views/faults.ts'
import { useGiveUp } from '#pay/views/use-give-up.ts'

export type Subscribing = {
  readonly checkout: CheckoutStateFragment
  /** What is under way; null when nothing is. */
  readonly step: TextKey | null
  readonly fault: TextKey | null
  readonly isOffline: boolean
  /** The subscriber signed here, and did not open a page that was completed before. */
  readonly hasSigned: boolean
  subscribe(wallet: Wallet): void
  retry(): void
}

/** How long a transaction that a wallet sent may stay unseen before the subscriber can try again. */
const SEEN_WITHIN_MS = 90_000

export function useSubscribing({ token, checkout: initial }: CheckoutState): Subscribing {
  const { site } = usePage()
  const [checkout, setCheckout] = useState(initial)
  const [step, setStep] = useState<TextKey | null>(null)
  const [fault, setFault] = useState<TextKey | null>(null)
  const [isOffline, setOffline] = useState(false)
  const [hasSigned, setSigned] = useState(false)
  const charge = checkout.firstCharge?.status

  useEffect(
    () =>
      follow(
        site.api,
        CheckoutChangesDocument,
        { token },
        {
          // The URLs for the return were judged by the server.
          onNext: ({ checkout: { successUrl: _success, cancelUrl: _cancel, ...now } }) =>
            setCheckout((known) => ({ ...known, ...now })),
          onConnection: (isOpen) => setOffline(!isOpen),
        },
      ),
    [token],
  )

  // What happens to the checkout or to its charge ends the wait.
  useEffect(() => setStep(null), [checkout.status, charge])
  useGiveUp(step, SEEN_WITHIN_MS, () => setStep(null))

  const run = async (wallet: Wallet): Promise<void> => {
    setStep('preparing')
    const account = await connect(wallet, site.chain)
    const { prepared } = await ask(site.api, PrepareCheckoutDocument, { token, wallet: account.address })
    setStep('confirmInWallet')
    if (prepared.transaction !== null) {
      const outcome = await signTransaction(wallet, account, fromBase64(prepared.transaction), site.chain)
      setStep('waitingForChain')
      setSigned(true)
      if ('signed' in outcome) {
        const transaction = toBase64(outcome.signed)
        await ask(site.api, ActivateCheckoutDocument, { token, subscriptionId: prepared.subscriptionId, transaction })
      }
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
