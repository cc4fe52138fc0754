// Subscribes with a wallet: it signs the allowance, or a text where the allowance is large enough already.
import { useEffect, useState } from 'preact/hooks'
import { AskError, ask, sleep, untilAnswered } from '#pay/browser/ask.ts'
import { connect, type Outcome, prove, toBase64, type Wallet } from '#pay/browser/wallets.ts'
import {
  ActivateCheckoutDocument,
  CheckoutChangesDocument,
  CheckoutPageDocument,
  type CheckoutStateFragment,
  ConfirmCheckoutDocument,
  EnterCodeDocument,
  PrepareCheckoutDocument,
  type PrepareCheckoutMutation,
  RetryFirstChargeDocument,
} from '#pay/documents.generated.ts'
import type { CheckoutState } from '#pay/states.ts'
import { type Action, type Running, useActions } from '#pay/views/actions.ts'
import { usePage } from '#pay/views/context.tsx'
import { type Offer, shownWithin, useSigning } from '#pay/views/signing.ts'
import { useLive } from '#pay/views/use-live.ts'
import type { Asking } from '#pay/views/wallet-buttons.tsx'
import { useSecondsLeft } from './use-live.ts'

export type Subscribing = {
  readonly checkout: CheckoutStateFragment
  readonly isOffline: boolean
  /** The subscriber signed here, and did not open a page that was completed before. */
  readonly hasSigned: boolean
  /** Asks a wallet to subscribe, or to allow again. */
  readonly asking: Asking
  readonly retry: Action
  /** Enters the code of a coupon. */
  enter(code: () => string): Action
  /** Takes the coupon back. */
  readonly removeCode: Action
}

/** A token has 30 calls a minute, and its subscriber needs some of them. */
const READ_AGAIN_MS = 5_000

type Prepared = NonNullable<PrepareCheckoutMutation['prepared']>

export function useSubscribing({ token, checkout: initial }: CheckoutState): Subscribing {
  const { site } = usePage()
  const [checkout, setCheckout] = useState(initial)
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

  // What refuses may have changed the checkout: its time is over, for example.
  const actions = useActions('notSubscribed', refresh)

  // What happens to the checkout or to its charge ends the wait.
  useEffect(() => actions.end(null), [checkout.status, charge])

  /** Throws `not_landed` when what was signed can no longer land, and has changed nothing. */
  const untilChanged = async (offer: Offer<Prepared>, running: Running): Promise<void> => {
    await sleep(shownWithin(offer))
    const read = () => ask(site.api, CheckoutPageDocument, { token })
    const { checkout: now } = await untilAnswered(read, { onUnknown: () => running.show('notKnownYet') })
    take(now)
    if (now.status === checkout.status && now.firstCharge?.status === charge)
      throw new AskError('not_landed', 'the transaction has not landed')
  }

  const run = async (wallet: Wallet, running: Running): Promise<void> => {
    const account = await connect(wallet, site.chain)
    const source = {
      // What was prepared for another price or coupon is not offered again, also where both cost the same.
      name: JSON.stringify([account.address, checkout.coupon?.code, checkout.totalAuthorization.usdCents]),
      prepare: async () => (await running.ask(PrepareCheckoutDocument, { token, wallet: account.address })).prepared,
    }
    const offer = await signing.offer(source)
    const { reply: prepared } = offer
    // The person agrees to a payment of today, or to another price, only after the page has said so.
    const hadTrial = prepared.trialDays < checkout.trialDays
    if (hadTrial || prepared.totalAuthorization.usdCents !== checkout.totalAuthorization.usdCents) {
      take((await running.ask(CheckoutPageDocument, { token })).checkout)
      throw hadTrial
        ? new AskError('trial_used', 'the wallet has had its trial')
        : new AskError('price_changed', 'the coupon of the checkout has changed')
    }
    const send = async (outcome: Outcome, onUnknown?: () => void): Promise<void> => {
      // A wallet that has sent the transaction by itself leaves nothing to do.
      if ('sent' in outcome) return
      const given = { token, subscriptionId: prepared.subscriptionId, transaction: toBase64(outcome.signed) }
      await untilAnswered(() => ask(site.api, ActivateCheckoutDocument, given), { onUnknown })
    }
    const onUnknown = () => running.show('notKnownYet')
    running.show('confirmInWallet')
    if (prepared.transaction !== null) {
      const late = (outcome: Outcome, isOver: boolean) => isOver && send(outcome)
      const outcome = await signing.sign({ wallet, account }, offer, { source, late, running })
      running.show('sent' in outcome && outcome.sent === 'unknown' ? 'notKnownYet' : 'waitingForChain')
      setSigned(true)
      await send(outcome, onUnknown)
      await untilChanged(offer, running)
    } else if (prepared.challenge !== null) {
      const proof = await prove(wallet, account, prepared.challenge)
      running.show('sending')
      setSigned(true)
      const given = { token, wallet: account.address, ...proof }
      await untilAnswered(() => ask(site.api, ConfirmCheckoutDocument, given), { onUnknown })
      await untilChanged(offer, running)
    }
  }

  const enterCode = async (running: Running, code: string | null): Promise<void> =>
    take((await running.ask(EnterCodeDocument, { token, code })).checkout)

  const { latest, end } = actions
  // What was signed in time completes a checkout after its end, too.
  const isOver = checkout.status === 'open' && clock === 0 && (latest === null || latest.step === null)

  return {
    checkout: isOver ? { ...checkout, status: 'expired' } : checkout,
    isOffline,
    hasSigned,
    asking: {
      latest,
      end,
      secondsLeft: signing.secondsLeft,
      of: (wallet) => actions.action(wallet.name, (running) => run(wallet, running), 'preparing'),
    },
    enter: (code) => actions.action('code', (running) => enterCode(running, code())),
    removeCode: actions.action('code', (running) => enterCode(running, null)),
    retry: actions.action('retry', async (running) => {
      await running.ask(RetryFirstChargeDocument, { token })
      take((await running.ask(CheckoutPageDocument, { token })).checkout)
    }),
  }
}
