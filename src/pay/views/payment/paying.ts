// Pays with a wallet of the browser: the service makes the transaction, and the wallet signs it.
import { useEffect, useRef } from 'preact/hooks'
import { AskError, ask } from '#pay/browser/ask.ts'
import { keepSent, keptSent, type SentPayment, timeNow } from '#pay/browser/sent-payment.ts'
import { sleep, untilAnswered } from '#pay/browser/until-answered.ts'
import { connect, type Outcome, toBase64, type Wallet } from '#pay/browser/wallets.ts'
import {
  PaymentNowDocument,
  PreparePaymentDocument,
  type PreparePaymentMutation,
  SubmitPaymentDocument,
} from '#pay/documents.generated.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { type Action, type Running, useActions } from '#pay/views/actions.ts'
import { usePage } from '#pay/views/context.tsx'
import type { Checkout } from '#pay/views/payment/checkout.ts'
import { type Offer, SHOWN_WITHIN_MS, useSigning } from '#pay/views/signing.ts'
import type { Asking } from '#pay/views/wallet-buttons.tsx'

type Prepared = NonNullable<PreparePaymentMutation['prepared']> & { readonly replacesDelegate: null }

/** What is signed may land. */
export type SentStep = Extract<TextKey, 'sending' | 'waitingForChain' | 'notKnownYet'>

export type Paying = {
  /** What is under way; null when nothing is. */
  readonly step: TextKey | null
  readonly asking: Asking
}

export function usePaying({ clientSecret, payment: { receivedAmount }, take }: Checkout): Paying {
  const { site } = usePage()
  const actions = useActions('paymentNotSent')
  const signing = useSigning<Prepared>()

  /** The amount of this moment: a part may arrive while the wallet asks. */
  const received = useRef(receivedAmount)
  received.current = receivedAmount

  /** What may land; null when nothing is waited for. */
  const waiting = useRef<SentPayment | null>(null)

  const forget = (): void => {
    waiting.current = null
    keepSent(clientSecret, null)
  }

  /** Sends a transaction until the service has it, or it is not waited for. Returns whether the service has it. */
  const submit = async (sent: SentPayment, transaction: string, running: Running): Promise<boolean> => {
    let isUnknown = false
    const onUnknown = () => {
      isUnknown = true
      running.show('notKnownYet')
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
   * pay twice. Throws `not_seen` then.
   */
  const seeThrough = async (sent: SentPayment, running: Running, isKnown = true): Promise<void> => {
    const { transaction, until, receivedBefore } = sent
    waiting.current = sent
    keepSent(clientSecret, sent)
    const isSent = transaction === null ? isKnown : await submit(sent, transaction, running)
    running.show(isSent ? 'waitingForChain' : 'notKnownYet')
    await sleep(Math.max(0, until + SHOWN_WITHIN_MS - timeNow()))
    const { checkout: now } = await untilAnswered(() => ask(site.api, PaymentNowDocument, { clientSecret }))
    take(now)
    if (now.receivedAmount === receivedBefore) throw new AskError('not_seen', 'the payment has not landed')
  }

  const pay = (wallet: string, work: (running: Running) => Promise<void>, first?: TextKey): Action =>
    actions.action(
      wallet,
      async (running) => {
        try {
          await work(running)
        } catch (error) {
          if (running.isCurrent()) forget()
          throw error
        }
      },
      first,
    )

  const sentBy = (wallet: Wallet, outcome: Outcome, { reply }: Offer<Prepared>): SentPayment => ({
    wallet: wallet.name,
    transaction: 'signed' in outcome ? toBase64(outcome.signed) : null,
    // A wallet may give a transaction a newer blockhash when it signs, so its time counts from here.
    until: timeNow() + 1_000 * reply.expiresInSeconds,
    receivedBefore: received.current,
  })

  const run = async (wallet: Wallet, running: Running): Promise<void> => {
    const account = await connect(wallet, site.chain)
    const source = {
      name: account.address,
      prepare: async () => {
        const { prepared } = await running.ask(PreparePaymentDocument, { clientSecret, wallet: account.address })
        return { ...prepared, replacesDelegate: null }
      },
    }
    const offer = await signing.offer(source)
    running.show('confirmInWallet')
    // A wallet that sends by itself may do so after all. What only signs, and too late, is dropped.
    const late = (outcome: Outcome): void => {
      if (!('sent' in outcome) || outcome.sent !== 'yes' || waiting.current !== null) return
      const sent = sentBy(wallet, outcome, offer)
      pay(wallet.name, (later) => seeThrough(sent, later), 'sending').run()
    }
    const outcome = await signing.sign({ wallet, account }, offer, { source, late, running })
    running.show('sending')
    await seeThrough(sentBy(wallet, outcome, offer), running, !('sent' in outcome) || outcome.sent === 'yes')
  }

  // What arrives ends the wait.
  useEffect(() => {
    const kept = keptSent(clientSecret)
    if (kept?.receivedBefore === receivedAmount)
      return pay(kept.wallet, (running) => seeThrough(kept, running, false), 'notKnownYet').run()
    forget()
    actions.end(null)
  }, [receivedAmount])

  const { latest, end } = actions
  return {
    step: latest?.step ?? null,
    asking: {
      latest,
      end,
      secondsLeft: null,
      of: (wallet) => pay(wallet.name, (running) => run(wallet, running), 'preparing'),
    },
  }
}
