// What a subscriber does in the portal, and the signatures that it takes.
import { useState } from 'preact/hooks'
import { AskError, ask, isUnanswered, sleep, untilAnswered } from '#pay/browser/ask.ts'
import { recoverLinks } from '#pay/browser/links.ts'
import {
  connect,
  type Outcome,
  type Proof,
  prove,
  toBase64,
  type Wallet,
  type WalletAccount,
} from '#pay/browser/wallets.ts'
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
import type { PortalState } from '#pay/states.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { type Action, type Running, useActions } from '#pay/views/actions.ts'
import { usePage } from '#pay/views/context.tsx'
import { type Offer, shownWithin, useSigning } from '#pay/views/signing.ts'
import { useLive } from '#pay/views/use-live.ts'
import type { Asking } from '#pay/views/wallet-buttons.tsx'

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
  /** What the subscriber wants that needs a wallet; null when nothing does. */
  readonly wish: Wish | null
  cancel(atPeriodEnd: boolean): Action
  readonly pause: Action
  readonly resume: Action
  /** Changes or renews, without a signature where none is needed. */
  ask(wish: Asked): Action
  readonly asking: Asking
  forget(): void
}

/** The portal has no live subscription: it reads again in this rhythm while it is visible. */
const READ_AGAIN_MS = 20_000
const ASK_AGAIN_MS = 3_000

export function useManaging({ token, portal: initial }: PortalState): Managing {
  const { site } = usePage()
  const { api, chain } = site
  const [portal, setPortal] = useState(initial)
  const [wish, setWish] = useState<Wish | null>(null)
  const actions = useActions('notChanged')
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
  const action = (
    name: string,
    work: (running: Running) => Promise<unknown>,
    first?: TextKey,
    done: () => void = () => {},
  ): Action =>
    actions.action(
      name,
      async (running) => {
        const failure = await work(running).then(
          () => null,
          (error: unknown) => {
            if (!isUnanswered(error)) throw error
            running.show('notKnownYet')
            return new AskError('check_first', 'no answer')
          },
        )
        await untilAnswered(read)
        if (failure !== null) throw failure
        done()
      },
      first,
    )

  const request = async (ask: Running['ask'], wanted: Asked, proof: Proof | null): Promise<PortalTermsFragment> => {
    switch (wanted.kind) {
      case 'renewal':
        return (await ask(RenewSubscriptionDocument, { token, ...proof })).terms
      case 'tier':
        return (await ask(ChangeTierDocument, { token, tierId: wanted.tierId, ...proof })).terms
      case 'revocation': {
        const { revocation } = await ask(RevokeAllowanceDocument, { token })
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

  /** Waits until an approve that a wallet sent by itself shows. Throws `not_landed` when it does not. */
  const untilChanged = async (before: PortalStateFragment, withinMs: number): Promise<void> => {
    const deadline = performance.now() + withinMs
    const shows = ({ subscription, tier, revocable, paymentsLeft }: PortalStateFragment) =>
      `${subscription.status} ${subscription.authorizedAmount} ${tier.uuid} ${revocable} ${paymentsLeft}`
    while (performance.now() < deadline) {
      await sleep(ASK_AGAIN_MS)
      if (shows(await untilAnswered(read)) !== shows(before)) return
    }
    throw new AskError('not_landed', 'the transaction has not landed')
  }

  /** A link of the business proves no wallet, so the wallet gets a link of its own, and the page goes on there. */
  const resumeWith = async (running: Running, wallet: Wallet, account: WalletAccount): Promise<void> => {
    const { uuid, subscriberWallet } = portal.subscription
    if (account.address !== subscriberWallet) throw new AskError('wallet_not_permitted', 'another wallet pays')
    const links = await recoverLinks(running, wallet, account)
    const own = links.find(({ subscription }) => subscription.uuid === uuid)
    if (own === undefined) throw new AskError('subscription_ended', 'no link to the subscription')
    await running.ask(ResumeSubscriptionDocument, { token: own.portalUrl.slice(own.portalUrl.lastIndexOf('/') + 1) })
    location.replace(own.portalUrl)
  }

  type Source = Parameters<typeof signing.offer>[0]
  const signOffer = async (
    by: { readonly wallet: Wallet; readonly account: WalletAccount },
    offer: Offer<PortalTermsFragment>,
    source: Source,
    running: Running,
  ): Promise<void> => {
    const { approvalId } = offer.reply
    if (approvalId === null) return
    const send = async (outcome: Outcome, onUnknown?: () => void): Promise<void> =>
      'signed' in outcome
        ? await activate(approvalId, outcome, onUnknown)
        : await untilChanged(portal, shownWithin(offer))
    running.show('confirmInWallet')
    const late = (outcome: Outcome, isOver: boolean) => isOver && send(outcome)
    const outcome = await signing.sign(by, offer, { source, late, running })
    running.show('sent' in outcome && outcome.sent === 'unknown' ? 'notKnownYet' : 'waitingForChain')
    await send(outcome, () => running.show('notKnownYet'))
  }

  const signFor = async (wanted: Wish, wallet: Wallet, running: Running): Promise<void> => {
    const account = await connect(wallet, chain)
    if (wanted.kind === 'resumption') return await resumeWith(running, wallet, account)
    const name = `${JSON.stringify(wanted)} ${account.address}`
    const source = { name, prepare: () => request(running.ask, wanted, null) }
    let offer = await signing.offer(source)
    if (offer.reply.outcome === 'proof_required' && offer.reply.challenge !== null) {
      running.show('confirmInWallet')
      const proof = await prove(wallet, account, offer.reply.challenge)
      offer = await signing.offer({ ...source, prepare: () => request(running.ask, wanted, proof) })
    }
    if (offer.reply.outcome === 'approval_required') await signOffer({ wallet, account }, offer, source, running)
  }

  const { latest, end } = actions
  const needsWallet = portal.subscription.stoppedBy === 'subscriber' && !portal.session.mayIncrease
  // One of both is offered at a time, in the same place.
  const pausing = 'pause or resume'
  return {
    portal,
    isOffline,
    wish,
    cancel: (atPeriodEnd) =>
      action(`cancel ${atPeriodEnd}`, ({ ask }) => ask(CancelSubscriptionDocument, { token, atPeriodEnd })),
    pause: action(pausing, ({ ask }) => ask(PauseSubscriptionDocument, { token })),
    resume: action(pausing, async ({ ask }) =>
      needsWallet ? setWish({ kind: 'resumption' }) : await ask(ResumeSubscriptionDocument, { token }),
    ),
    ask: (wanted) =>
      action(JSON.stringify(wanted), async ({ ask }) => {
        // It needs a signature in any case.
        if (wanted.kind === 'revocation') return setWish(wanted)
        const { outcome } = await request(ask, wanted, null)
        setWish(outcome === 'changed' || outcome === 'renewed' ? null : wanted)
      }),
    asking: {
      latest,
      end,
      secondsLeft: signing.secondsLeft,
      of: (wallet) =>
        action(
          wallet.name,
          async (running) => wish && (await signFor(wish, wallet, running)),
          'preparing',
          () => setWish(null),
        ),
    },
    forget: () => setWish(null),
  }
}
