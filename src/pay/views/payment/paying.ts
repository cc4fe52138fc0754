// Pays with a wallet of the browser: the service makes the transaction, and the wallet signs it.
import { useEffect, useRef } from 'preact/hooks'
import { AskError, ask, sleep, untilAnswered } from '#pay/browser/ask.ts'
import { connect, type Outcome, sendsByItself, toBase64, type Wallet, WalletRefused } from '#pay/browser/wallets.ts'
import {
  PaymentNowDocument,
  PreparePaymentDocument,
  type PreparePaymentMutation,
  SubmitPaymentDocument,
} from '#pay/documents.generated.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { type Running, useActions } from '#pay/views/actions.ts'
import { usePage } from '#pay/views/context.tsx'
import { type Offer, SHOWN_WITHIN_MS, useSigning } from '#pay/views/signing.ts'
import type { Asking } from '#pay/views/wallet-buttons.tsx'
import { type Checkout, isPayable } from './checkout.ts'

// The payment that a wallet has signed on this page, or is asked to sign and send, for as long as it may land: the page may be loaded again before that.

type SentPayment = {
  /** The name of the wallet. */
  readonly wallet: string
  /** Signed, in base64; null for a wallet that sends it by itself, or may have. */
  readonly transaction: string | null
  /** When it can no longer land, in ms since 1970. */
  readonly until: number
}

/** Milliseconds since 1970, as this device counts them. */
const timeNow = (): number => performance.timeOrigin + performance.now()

const nameOf = (clientSecret: string): string => `sent ${clientSecret}`

/** A browser that keeps nothing for a page in a frame throws. Then the page forgets, and works. */
function keepSent(clientSecret: string, sent: SentPayment | null): void {
  try {
    if (sent === null) sessionStorage.removeItem(nameOf(clientSecret))
    else sessionStorage.setItem(nameOf(clientSecret), JSON.stringify(sent))
  } catch {}
}

function keptSent(clientSecret: string): SentPayment | null {
  try {
    return JSON.parse(sessionStorage.getItem(nameOf(clientSecret)) ?? 'null')
  } catch {
    return null
  }
}

type Prepared = NonNullable<PreparePaymentMutation['prepared']> & { readonly replacesDelegate: null }

/** What is signed may land. */
export type SentStep = Extract<TextKey, 'sending' | 'waitingForChain' | 'notKnownYet'>

export type Paying = {
  /** What is under way; null when nothing is. */
  readonly step: TextKey | null
  readonly asking: Asking
}

export function usePaying({ clientSecret, payment, take }: Checkout): Paying {
  const { site } = usePage()
  const actions = useActions('paymentNotSent')
  const signing = useSigning<Prepared>()
  const isDue = isPayable(payment)

  /** What may land; null when nothing is waited for. */
  const waiting = useRef<SentPayment | null>(null)

  const forget = (): void => {
    waiting.current = null
    keepSent(clientSecret, null)
  }

  /** Sends a transaction until the service has it, or it is not waited for. Returns whether the service has it. */
  const submit = async (sent: SentPayment, transaction: string, isNew: boolean, running: Running): Promise<boolean> => {
    let isUnknown = !isNew
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
   * pay twice. Throws `not_seen` then: it pays all that is due, so it has not landed while something is. `isNew`: nothing of it can
   * have arrived before.
   */
  const seeThrough = async (sent: SentPayment, running: Running, isNew = true): Promise<void> => {
    const { transaction, until } = sent
    waiting.current = sent
    keepSent(clientSecret, sent)
    try {
      const isSent = transaction === null ? isNew : await submit(sent, transaction, isNew, running)
      running.show(isSent ? 'waitingForChain' : 'notKnownYet')
      await sleep(Math.max(0, until + SHOWN_WITHIN_MS - timeNow()))
      const { checkout: now } = await untilAnswered(() => ask(site.api, PaymentNowDocument, { clientSecret }))
      take(now)
      if (isPayable(now)) throw new AskError('not_seen', 'the payment has not landed')
    } catch (error) {
      if (running.isCurrent()) forget()
      throw error
    }
  }

  const sentBy = (wallet: Wallet, transaction: string | null, { reply }: Offer<Prepared>): SentPayment => ({
    wallet: wallet.name,
    transaction,
    // A wallet may give a transaction a newer blockhash when it signs, so its time counts from here.
    until: timeNow() + 1_000 * reply.expiresInSeconds,
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
      const sent = sentBy(wallet, null, offer)
      actions.action(wallet.name, (later) => seeThrough(sent, later), 'sending').run()
    }
    // It may send before it answers, and the page may be loaded again before that.
    if (sendsByItself(wallet)) keepSent(clientSecret, sentBy(wallet, null, offer))
    const outcome = await signing
      .sign({ wallet, account }, offer, { source, late, running })
      .catch((error: unknown) => {
        if (error instanceof WalletRefused) keepSent(clientSecret, null)
        throw error
      })
    running.show('sending')
    const transaction = 'signed' in outcome ? toBase64(outcome.signed) : null
    await seeThrough(sentBy(wallet, transaction, offer), running, !('sent' in outcome) || outcome.sent === 'yes')
  }

  useEffect(() => {
    const kept = keptSent(clientSecret)
    if (kept === null || !isDue) return
    actions.action(kept.wallet, (running) => seeThrough(kept, running, false), 'notKnownYet').run()
  }, [])

  const { latest, end } = actions
  useEffect(() => {
    if (!isDue) {
      forget()
      end(null)
      // What a wallet is asked for is more than the rest of a part.
    } else if (waiting.current === null) end(latest?.step ? 'stoppedWaiting' : null)
  }, [isDue, payment.receivedAmount])

  return {
    step: latest?.step ?? null,
    asking: {
      latest,
      end,
      secondsLeft: null,
      of: (wallet) => actions.action(wallet.name, (running) => run(wallet, running), 'preparing'),
    },
  }
}
