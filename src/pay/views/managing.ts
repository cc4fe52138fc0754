// What a subscriber does in the portal, and the signatures that it takes.
import { useState } from 'preact/hooks'
import { AskError, ask } from '#pay/browser/ask.ts'
import { type Proof, prove } from '#pay/browser/proof.ts'
import { recoverLinks } from '#pay/browser/recover.ts'
import { isUnanswered, sleep, untilAnswered } from '#pay/browser/until-answered.ts'
import { connect, type Outcome, toBase64, type Wallet, type WalletAccount } from '#pay/browser/wallets.ts'
import {
  ActivateTermsDocument,
  CancelSubscriptionDocument,
  ChangeTierDocument,
  PauseSubscriptionDocument,
  PortalPageDocument,
  type PortalStateFragment,
  type PortalTermsFragment,
  RenewSubscriptionDocument,
  ResumeSubscriptionDocument,
  RevokeAllowanceDocument,
} from '#pay/documents.generated.ts'
import type { PortalState } from '#pay/subscription/state.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { faultOf } from '#pay/views/faults.ts'
import { type Offer, shownWithin, useSigning } from '#pay/views/signing.ts'
import { useLive } from '#pay/views/use-live.ts'

/** What a wallet is asked for. */
export type Wish =
  | Asked
  /** What the subscriber has stopped goes on. */
  | { readonly kind: 'resumption' }

/** What the service is asked for first. */
type Asked =
  | { readonly kind: 'renewal' }
  | { readonly kind: 'tier'; readonly tierId: string }
  /** The allowance ends on the chain. */
  | { readonly kind: 'revocation' }

export type Managing = {
  readonly portal: PortalStateFragment
  readonly isOffline: boolean
  readonly step: TextKey | null
  readonly fault: TextKey | null
  /** How long the wallet can still sign; null while it is not asked for a transaction. */
  readonly secondsLeft: number | null
  /** What the subscriber wants that needs a wallet; null when nothing does. */
  readonly wish: Wish | null
  cancel(atPeriodEnd: boolean): void
  pause(): void
  resume(): void
  /** Changes or renews, without a signature where none is needed. */
  ask(wish: Asked): void
  sign(wallet: Wallet): void
  forget(): void
}

/** The portal has no live subscription: it reads again in this rhythm while it is visible. */
const READ_AGAIN_MS = 20_000
const ASK_AGAIN_MS = 3_000

export function useManaging({ token, portal: initial }: PortalState): Managing {
  const { site } = usePage()
  const { api, chain } = site
  const [portal, setPortal] = useState(initial)
  const [step, setStep] = useState<TextKey | null>(null)
  const [fault, setFault] = useState<TextKey | null>(null)
  const [wish, setWish] = useState<Wish | null>(null)
  const signing = useSigning<PortalTermsFragment>()

  const read = async (): Promise<PortalStateFragment> => {
    const { portal: now } = await ask(api, PortalPageDocument, { token })
    setPortal(now)
    return now
  }

  const { isOffline } = useLive(
    { api, read: PortalPageDocument, changes: null, variables: { token }, everyMs: () => READ_AGAIN_MS },
    ({ portal: now }) => setPortal(now),
  )

  /** Does something, and shows the page as it is afterwards before `done` changes what is offered. */
  const attempt = (first: TextKey, action: () => Promise<unknown>, done: () => void = () => {}): void => {
    setFault(null)
    setStep(first)
    action()
      .then(
        () => done,
        (error: unknown) => {
          if (!isUnanswered(error)) throw error
          setStep('notKnownYet')
          return () => setFault('checkFirst')
        },
      )
      .then(async (end) => {
        await untilAnswered(read)
        end()
      })
      .catch((error: unknown) => setFault(faultOf(error, 'notChanged')))
      .finally(() => setStep(null))
  }

  const request = async (wanted: Asked, proof: Proof | null): Promise<PortalTermsFragment> => {
    switch (wanted.kind) {
      case 'renewal':
        return (await ask(api, RenewSubscriptionDocument, { token, ...proof })).terms
      case 'tier':
        return (await ask(api, ChangeTierDocument, { token, tierId: wanted.tierId, ...proof })).terms
      case 'revocation': {
        const { revocation } = await ask(api, RevokeAllowanceDocument, { token })
        return { outcome: 'approval_required', challenge: null, replacesDelegate: null, ...revocation }
      }
    }
  }

  /** Sends a signed approve until it is final. A repeat is harmless. Throws `blockhash_expired` when it cannot land any more. */
  const activate = async (
    approvalId: string,
    { signed }: Extract<Outcome, { signed: Uint8Array }>,
    onUnknown?: () => void,
  ): Promise<void> => {
    const given = { token, approvalId, transaction: toBase64(signed) }
    for (;;) {
      const { activated } = await untilAnswered(() => ask(api, ActivateTermsDocument, given), { onUnknown })
      if (activated.outcome !== 'confirmation_pending') return
      await sleep(ASK_AGAIN_MS)
    }
  }

  /** Waits until an approve that a wallet sent by itself shows. Throws `blockhash_expired` when it does not. */
  const untilChanged = async (before: PortalStateFragment, withinMs: number): Promise<void> => {
    const deadline = performance.now() + withinMs
    const shows = ({ subscription, tier, revocable, paymentsLeft }: PortalStateFragment) =>
      `${subscription.status} ${subscription.authorizedAmount} ${tier.uuid} ${revocable} ${paymentsLeft}`
    while (performance.now() < deadline) {
      await sleep(ASK_AGAIN_MS)
      if (shows(await untilAnswered(read)) !== shows(before)) return
    }
    throw new AskError('blockhash_expired', 'the transaction has not landed')
  }

  /** A link of the business proves no wallet, so the wallet gets a link of its own, and the page goes on there. */
  const resumeWith = async (wallet: Wallet, account: WalletAccount): Promise<void> => {
    const { uuid, subscriberWallet } = portal.subscription
    if (account.address !== subscriberWallet) throw new AskError('wallet_not_permitted', 'another wallet pays')
    const links = await recoverLinks(api, wallet, account, () => setStep('confirmInWallet'))
    const own = links.find(({ subscription }) => subscription.uuid === uuid)
    if (own === undefined) throw new AskError('subscription_ended', 'no link to the subscription')
    await ask(api, ResumeSubscriptionDocument, { token: own.portalUrl.slice(own.portalUrl.lastIndexOf('/') + 1) })
    location.replace(own.portalUrl)
  }

  type Source = Parameters<typeof signing.offer>[0]
  const signOffer = async (
    by: { readonly wallet: Wallet; readonly account: WalletAccount },
    offer: Offer<PortalTermsFragment>,
    source: Source,
  ): Promise<void> => {
    const { approvalId } = offer.reply
    if (approvalId === null) return
    const send = async (outcome: Outcome, onUnknown?: () => void): Promise<void> =>
      'signed' in outcome
        ? await activate(approvalId, outcome, onUnknown)
        : await untilChanged(portal, shownWithin(offer))
    setStep('confirmInWallet')
    const outcome = await signing.sign(by, offer, source, send)
    setStep('sent' in outcome && outcome.sent === 'unknown' ? 'notKnownYet' : 'waitingForChain')
    await send(outcome, () => setStep('notKnownYet'))
  }

  const signFor = async (wanted: Wish, wallet: Wallet): Promise<void> => {
    const account = await connect(wallet, chain)
    if (wanted.kind === 'resumption') return await resumeWith(wallet, account)
    const source = { name: `${JSON.stringify(wanted)} ${account.address}`, prepare: () => request(wanted, null) }
    let offer = await signing.offer(source)
    if (offer.reply.outcome === 'proof_required' && offer.reply.challenge !== null) {
      setStep('confirmInWallet')
      const proof = await prove(wallet, account, offer.reply.challenge)
      offer = await signing.offer({ ...source, prepare: () => request(wanted, proof) })
    }
    if (offer.reply.outcome === 'approval_required') await signOffer({ wallet, account }, offer, source)
  }

  return {
    portal,
    isOffline,
    step,
    fault,
    secondsLeft: signing.secondsLeft,
    wish,
    cancel: (atPeriodEnd) => attempt('sending', () => ask(api, CancelSubscriptionDocument, { token, atPeriodEnd })),
    pause: () => attempt('sending', () => ask(api, PauseSubscriptionDocument, { token })),
    resume() {
      if (portal.subscription.stoppedBy === 'subscriber' && !portal.session.mayIncrease)
        return setWish({ kind: 'resumption' })
      attempt('sending', () => ask(api, ResumeSubscriptionDocument, { token }))
    },
    ask: (wanted) => {
      // It needs a signature in any case.
      if (wanted.kind === 'revocation') return setWish(wanted)
      attempt('preparing', async () => {
        const { outcome } = await request(wanted, null)
        setWish(outcome === 'changed' || outcome === 'renewed' ? null : wanted)
      })
    },
    sign: (wallet) => {
      if (wish === null) return
      attempt(
        'preparing',
        () => signFor(wish, wallet),
        () => setWish(null),
      )
    },
    forget: () => setWish(null),
  }
}
