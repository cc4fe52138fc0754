// Pays with a wallet of the browser: the service makes the transaction, and the wallet signs it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from '#pay/browser/ask.ts'
import { keepSent, keptSent, type SentPayment, timeNow } from '#pay/browser/sent-payment.ts'
import { sleep, untilAnswered } from '#pay/browser/until-answered.ts'
import { connect, fromBase64, signTransaction, toBase64, type Wallet } from '#pay/browser/wallets.ts'
import { PaymentNowDocument, PreparePaymentDocument, SubmitPaymentDocument } from '#pay/documents.generated.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { faultOf } from '#pay/views/faults.ts'
import type { Checkout } from '#pay/views/payment/checkout.ts'
import { SHOWN_WITHIN_MS } from '#pay/views/signing.ts'

/** What is signed may land. */
export type SentStep = Extract<TextKey, 'sending' | 'waitingForChain' | 'notKnownYet'>
type Step = Extract<TextKey, 'preparing' | 'confirmInWallet'> | SentStep

export type Paying = {
  /** What is under way; null when nothing is. */
  readonly step: Step | null
  readonly fault: TextKey | null
  pay(wallet: Wallet): void
}

export function usePaying({ clientSecret, payment: { receivedAmount }, take }: Checkout): Paying {
  const { site } = usePage()
  const [step, setStep] = useState<Step | null>(null)
  const [fault, setFault] = useState<TextKey | null>(null)

  /** What may land; null when nothing is waited for. */
  const waiting = useRef<SentPayment | null>(null)

  const end = (why: TextKey | null): void => {
    waiting.current = null
    keepSent(clientSecret, null)
    setStep(null)
    setFault(why)
  }

  /** Sends a transaction until the service has it, or it is not waited for. Returns whether the service has it. */
  const submit = async (sent: SentPayment, transaction: string): Promise<boolean> => {
    let isUnknown = false
    const onUnknown = () => {
      isUnknown = true
      setStep('notKnownYet')
    }
    const goesOn = () => waiting.current === sent && timeNow() < sent.until
    const request = () => ask(site.api, SubmitPaymentDocument, { clientSecret, transaction })
    return await untilAnswered(request, { onUnknown, goesOn }).then(
      () => true,
      (error: unknown) => {
        // After a lost answer, a refusal of the repeat says nothing of the first.
        if (isUnknown || !goesOn()) return false
        throw error
      },
    )
  }

  /**
   * Sees a signed transaction through. Before it can no longer land, and the service has said so after that time, another one could
   * pay twice.
   */
  const seeThrough = async (sent: SentPayment, isKnown = true): Promise<void> => {
    const { transaction, until, receivedBefore } = sent
    waiting.current = sent
    keepSent(clientSecret, sent)
    const isSent = transaction === null ? isKnown : await submit(sent, transaction)
    if (waiting.current === sent) setStep(isSent ? 'waitingForChain' : 'notKnownYet')
    await sleep(Math.max(0, until + SHOWN_WITHIN_MS - timeNow()))
    const { checkout: now } = await untilAnswered(() => ask(site.api, PaymentNowDocument, { clientSecret }))
    take(now)
    if (waiting.current === sent && now.receivedAmount === receivedBefore) end('paymentNotSeen')
  }

  const run = async (wallet: Wallet): Promise<void> => {
    setFault(null)
    setStep('preparing')
    const account = await connect(wallet, site.chain)
    const { prepared } = await ask(site.api, PreparePaymentDocument, { clientSecret, wallet: account.address })
    setStep('confirmInWallet')
    const outcome = await signTransaction(wallet, account, fromBase64(prepared.transaction), site.chain)
    setStep('sending')
    const sent: SentPayment = {
      transaction: 'signed' in outcome ? toBase64(outcome.signed) : null,
      // A wallet may give a transaction a newer blockhash when it signs, so its time counts from here.
      until: timeNow() + 1_000 * prepared.expiresInSeconds,
      receivedBefore: receivedAmount,
    }
    await seeThrough(sent, !('sent' in outcome) || outcome.sent === 'yes')
  }

  const attempt = (action: () => Promise<void>): void =>
    void action().catch((error: unknown) => end(faultOf(error, 'paymentNotSent')))

  // What arrives ends the wait.
  useEffect(() => {
    const kept = keptSent(clientSecret)
    if (kept?.receivedBefore !== receivedAmount) return end(null)
    setStep('notKnownYet')
    attempt(() => seeThrough(kept, false))
  }, [receivedAmount])

  return { step, fault, pay: (wallet) => attempt(() => run(wallet)) }
}
