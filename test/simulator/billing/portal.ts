// Subscribers in the portal of a subscription.
import { ServiceError } from '#core/errors.ts'
import type { OfferedApprove } from '#services/billing/approvals/offer.ts'
import type { Wallet } from '../chain/wallets.ts'
import { ask } from '../people.ts'
import { signedByOwner } from './accounts.ts'
import { count, MINUTE, PAUSES, type Scene, SECOND, sendByWallet, signText, TRIES, wanted } from './scene.ts'

/** The subscriber authorizes all periods again, by a signed text or an approve, as the service asks for. */
export async function renew(scene: Scene, wallet: Wallet, id: string): Promise<void> {
  const { people, dice, wait } = scene
  const token = await ask(people, dice, ({ billing }) => wanted(billing).portal.linkTo(id))
  if (token === null || token instanceof ServiceError) return
  people.monitor.secrets.add(token)
  let answer = {}
  for (let tried = 0; tried < TRIES; tried += 1) {
    count(scene, 'renewal asked for')
    const outcome = await ask(people, dice, ({ billing }) => wanted(billing).portal.renewInPortal(token, answer))
    answer = {}
    if (outcome === null) continue
    if (outcome instanceof ServiceError) {
      const pause = PAUSES[outcome.code]
      if (pause === undefined) return
      await wait(pause, 2 * pause)
      continue
    }
    if (outcome.outcome === 'proof_required') {
      const { challenge } = outcome
      answer = { nonce: challenge.nonce, signature: signText(scene, wallet, id, challenge) }
      await wait(SECOND, 5 * MINUTE)
    } else if (outcome.outcome === 'approval_required') {
      if (await approveRenewal(scene, wallet, token, outcome.approve)) return
    } else {
      count(scene, 'subscription renewed')
      return
    }
  }
}

/** Signs the approve, and returns it, sends it or does neither. Returns true when it has renewed the subscription. */
async function approveRenewal(scene: Scene, wallet: Wallet, token: string, offered: OfferedApprove): Promise<boolean> {
  const { people, dice, wait } = scene
  const { approvalId } = offered
  const transaction = signedByOwner(wallet, offered.transaction)
  await wait(SECOND, 40 * SECOND)
  if (dice.chance(0.2)) {
    await sendByWallet(scene, transaction)
    return false
  }
  const renewed = await ask(people, dice, ({ billing }) =>
    wanted(billing).portal.activateInPortal(token, { approvalId, transaction }),
  )
  if (renewed !== null && !(renewed instanceof ServiceError)) {
    count(scene, 'subscription renewed')
    return true
  }
  await wait(MINUTE, 3 * MINUTE)
  return false
}
