// Pays with a wallet of the browser: the service makes the transaction, and the wallet signs it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from '#pay/browser/ask.ts'
import { connect, fromBase64, signTransaction, toBase64, type Wallet } from '#pay/browser/wallets.ts'
import { PreparePaymentDocument, SubmitPaymentDocument } from '#pay/documents.generated.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { faultOf } from '#pay/views/faults.ts'
import type { Checkout } from '#pay/views/payment/checkout.ts'
import { shownWithin } from '#pay/views/signing.ts'
import { useGiveUp } from '#pay/views/use-give-up.ts'

type Step = Extract<TextKey, 'preparing' | 'confirmInWallet' | 'sending' | 'waitingForChain'>

export type Paying = {
  /** What is under way; null when nothing is. */
  readonly step: Step | null
  readonly fault: TextKey | null
  pay(wallet: Wallet): void
}

export function usePaying({ clientSecret, payment: { receivedAmount } }: Checkout): Paying {
  const { site } = usePage()
  const [step, setStep] = useState<Step | null>(null)
  const [fault, setFault] = useState<TextKey | null>(null)

  /** In milliseconds. A wallet may give a transaction a newer blockhash when it signs, so it counts from the sending. */
  const life = useRef(0)

  // What arrives ends the wait. So does time, when the transaction can no longer land: before that, another one could pay twice.
  useEffect(() => setStep(null), [receivedAmount])
  useGiveUp(
    step,
    () => shownWithin({ until: performance.now() + life.current }),
    () => setStep(null),
  )

  const run = async (wallet: Wallet): Promise<void> => {
    setFault(null)
    setStep('preparing')
    const account = await connect(wallet, site.chain)
    const { prepared } = await ask(site.api, PreparePaymentDocument, { clientSecret, wallet: account.address })
    life.current = 1_000 * prepared.expiresInSeconds
    setStep('confirmInWallet')
    const outcome = await signTransaction(wallet, account, fromBase64(prepared.transaction), site.chain)
    if ('signed' in outcome) {
      setStep('sending')
      await ask(site.api, SubmitPaymentDocument, { clientSecret, transaction: toBase64(outcome.signed) })
    }
    setStep('waitingForChain')
  }

  return {
    step,
    fault,
    pay: (wallet) =>
      void run(wallet).catch((error: unknown) => {
        setStep(null)
        setFault(faultOf(error, 'paymentNotSent'))
      }),
  }
}
