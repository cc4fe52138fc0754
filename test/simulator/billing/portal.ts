// Subscribers in the portal of a subscription: they renew it, change its tier, pause, resume and cancel it, and end the
// allowance after that.
import { ServiceError } from '#core/errors.ts'
import type { OfferedApprove } from '#services/billing/approvals/offer.ts'
import type { OfferedRevocation, TermOutcome } from '#services/billing/portal/portal-services.ts'
import type { GivenAnswer } from '#services/billing/wallet-proof.ts'
import type { Wallet } from '../chain/wallets.ts'
import type { Fault } from '../faults.ts'
import { ask } from '../people.ts'
import { signedByOwner } from './accounts.ts'
import type { Portal } from './instance-billing.ts'
import { count, MINUTE, PAUSES, type Scene, SECOND, sendByWallet, signText, TRIES, wanted } from './scene.ts'

/** Returns the token of a new link; null when the service gives none. */
async function openPortal({ people, dice }: Scene, id: string): Promise<string | null> {
  const token = await ask(people, dice, ({ billing }) => wanted(billing).portal.linkTo(id))
  if (token === null || token instanceof ServiceError) return null
  people.monitor.secrets.add(token)
  return token
}

const inPortal = <T>({ people, dice }: Scene, act: (portal: Portal) => Promise<T>) =>
  ask(people, dice, ({ billing }) => act(wanted(billing).portal))

/** The subscriber authorizes all periods again. */
export async function renew(scene: Scene, wallet: Wallet, id: string): Promise<void> {
  const order = (portal: Portal, token: string, answer: GivenAnswer) => portal.renewInPortal(token, answer)
  await changeTerms(scene, wallet, id, { order, asked: 'renewal asked for', done: 'subscription renewed' })
}

export async function changeTier(scene: Scene, wallet: Wallet, id: string, tierId: string): Promise<void> {
  scene.monitor.acts.change.note(id)
  const order = (portal: Portal, token: string, answer: GivenAnswer) => portal.changeTierInPortal(token, tierId, answer)
  await changeTerms(scene, wallet, id, { order, asked: 'other tier asked for', done: 'tier changed' })
}

type TermAct = {
  readonly order: (portal: Portal, token: string, answer: GivenAnswer) => Promise<TermOutcome>
  readonly asked: Fault
  readonly done: Fault
}

/** The subscriber agrees to other terms, by nothing, a signed text or an approve, as the service asks for. */
async function changeTerms(scene: Scene, wallet: Wallet, id: string, { order, asked, done }: TermAct): Promise<void> {
  const { wait } = scene
  const token = await openPortal(scene, id)
  if (token === null) return
  let answer: GivenAnswer = {}
  for (let tried = 0; tried < TRIES; tried += 1) {
    count(scene, asked)
    const given = answer
    const outcome = await inPortal(scene, (portal) => order(portal, token, given))
    answer = {}
    if (outcome === null) continue
    if (outcome instanceof ServiceError) {
      const pause = PAUSES[outcome.code]
      if (pause === undefined) return
      await wait(pause, 2 * pause)
    } else if (outcome.outcome === 'proof_required') {
      const { challenge } = outcome
      answer = { nonce: challenge.nonce, signature: signText(scene, wallet, id, challenge) }
      await wait(SECOND, 5 * MINUTE)
    } else if (outcome.outcome === 'approval_required') {
      if (await activate(scene, wallet, token, outcome.approve)) return count(scene, done)
    } else {
      return count(scene, done)
    }
  }
}

/** Signs the transaction, and returns it or sends it. Returns true when its effect was answered. */
async function activate(
  scene: Scene,
  wallet: Wallet,
  token: string,
  { approvalId, transaction: offered }: OfferedApprove | OfferedRevocation,
): Promise<boolean> {
  const { dice, wait } = scene
  const transaction = signedByOwner(wallet, offered)
  await wait(SECOND, 40 * SECOND)
  if (dice.chance(0.2)) {
    await sendByWallet(scene, transaction)
    return false
  }
  const done = await inPortal(scene, (portal) => portal.activateInPortal(token, { approvalId, transaction }))
  if (done !== null && !(done instanceof ServiceError)) return true
  await wait(MINUTE, 3 * MINUTE)
  return false
}

/** The subscriber pauses the subscription for a while, or cancels it, now and then with the allowance. Its business `insists`. */
export async function manageInPortal(
  scene: Scene,
  wallet: Wallet,
  id: string,
  insists: () => Promise<void>,
): Promise<void> {
  const { dice, wait, stage, monitor } = scene
  const token = await openPortal(scene, id)
  if (token === null) return
  if (dice.chance(0.4)) {
    monitor.acts.pause.note(id)
    count(scene, 'paused by the subscriber')
    const paused = await inPortal(scene, (portal) => portal.pauseInPortal(token))
    if (isDone(paused)) await insists()
    await wait(MINUTE, stage.season.lengthMs / dice.pick([4, 12, 60]))
    const later = await openPortal(scene, id)
    if (later !== null) await inPortal(scene, (portal) => portal.resumeInPortal(later))
    return
  }
  monitor.acts.cancel.note(id)
  count(scene, 'canceled by the subscriber')
  const canceled = await inPortal(scene, (portal) => portal.cancelInPortal(token, dice.chance(0.3)))
  if (isDone(canceled)) await insists()
  if (dice.chance(0.7)) await endAllowance(scene, wallet, token)
}

const isDone = (answer: unknown): boolean => answer !== null && !(answer instanceof ServiceError)

/** The owner ends the allowance by the link with which the subscription was canceled. */
async function endAllowance(scene: Scene, wallet: Wallet, token: string): Promise<void> {
  const { wait } = scene
  for (let tried = 0; tried < TRIES; tried += 1) {
    await wait(SECOND, 3 * MINUTE)
    count(scene, 'end of the allowance asked for')
    const offered = await inPortal(scene, (portal) => portal.revokeInPortal(token))
    if (offered === null) continue
    if (offered instanceof ServiceError) {
      if (offered.code !== 'authorization_pending' && offered.code !== 'allowance_in_use') return
      continue
    }
    if (await activate(scene, wallet, token, offered)) return count(scene, 'allowance ended')
  }
}
