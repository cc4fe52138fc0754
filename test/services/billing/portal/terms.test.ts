// Changes of terms in the portal, on a chain: what needs no signature, a signed text, or an approve.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decideDue } from '#core/billing/machine/due.ts'
import { MOST_UNSIGNED_OF_WALLET } from '#core/billing/sponsoring.ts'
import type { Tier } from '#core/billing/tier.ts'
import { ServiceError } from '#core/errors.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { pause, resume } from '../../../support/charge.ts'
import { UNIT } from '../../../support/charging-world.ts'
import { answered, prepareApprove, prepareProof, signedBy } from '../../../support/checkout-world.ts'
import { units } from '../../../support/payment.ts'
import { approveOf, challengeOf, type PortalWorld, startPortalWorld } from '../../../support/portal-world.ts'
import { until } from '../../../support/until.ts'

let world: PortalWorld
let higher: Tier
let lower: Tier
let daily: Tier

beforeAll(async () => {
  world = await startPortalWorld()
  higher = await world.sibling({ unitBaseUnits: units(2n * UNIT) })
  lower = await world.sibling({ unitBaseUnits: units(UNIT / 2n) })
  daily = await world.sibling({ interval: 'day', payoutOwner: world.tier.payoutOwner })
})
afterAll(() => world.stop())

const refused = (code: string) => expect.objectContaining({ code })
const NO_ANSWER = {}
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const termsOf = async (id: string) => (await world.facts(id)).subscription

/** Waits until the first approve of the subscription is final, and booked by a round of work. */
const untilBooked = (id: string): Promise<void> =>
  until(async () => {
    await world.watch()
    return (await world.approvalsOf(id))[0]?.state === 'final_ok'
  })

/** Neither more than the allowance is outstanding, nor did anything go wrong. */
async function expectCovered(id: string): Promise<void> {
  const { outstanding, allowance } = await world.claims(id)
  expect(outstanding).toBeLessThanOrEqual(allowance)
  expect(world.errors).toEqual([])
}

test('a renewal after another app has taken the place of the delegate says which one it replaces', async () => {
  const { owner, id, token } = await world.subscribed()
  await world.approve(owner, 5n * UNIT, world.tier.payoutOwner)
  const outcome = await world.portal.renewInPortal(token, NO_ANSWER)
  expect(outcome).toMatchObject({
    outcome: 'approval_required',
    approve: { delegate: world.delegate, replacesDelegate: world.tier.payoutOwner },
  })
  expect((await termsOf(id)).status).toBe('revoked')
})

test('a lower tier is changed without a signature, also by a link of the business', async () => {
  const { id } = await world.subscribed()
  const token = await world.link(id, 'merchant')
  const outcome = await world.portal.changeTierInPortal(token, lower.id, NO_ANSWER)
  expect(outcome).toMatchObject({ outcome: 'changed', subscription: { tierId: lower.id, unitAmount: UNIT / 2n } })
  expect(await termsOf(id)).toMatchObject({ tierId: lower.id, authorizedAmount: (11n * UNIT) / 2n, spentAmount: 0n })
  expect(await world.approvalsOf(id)).toEqual([])
  await expectCovered(id)
})

test('a raise with room needs a signed text, which works once and for this tier only', async () => {
  const { owner, id, token } = await world.subscribed()
  await world.approve(owner, 30n * UNIT, world.delegate)
  const highest = await world.sibling({ unitBaseUnits: units((5n * UNIT) / 2n) })
  const offer = challengeOf(await world.portal.changeTierInPortal(token, higher.id, NO_ANSWER))
  expect(await termsOf(id)).toMatchObject({ tierId: world.tier.id })
  expect(offer.challenge.input.statement).toMatch(
    /^Change the subscription and authorize \[.*22\.00 USD in total for 11/,
  )
  const answer = await answered(owner, offer)
  const stranger = await answered(await world.tools.wallet(), offer)
  await expect(world.portal.changeTierInPortal(token, higher.id, stranger)).rejects.toEqual(
    refused('invalid_signature'),
  )
  await expect(world.portal.changeTierInPortal(token, highest.id, answer)).rejects.toEqual(refused('invalid_signature'))
  const elsewhere = await world.link(id)
  await expect(world.portal.changeTierInPortal(elsewhere, higher.id, answer)).rejects.toEqual(
    refused('invalid_signature'),
  )
  await expect(
    world.portal.changeTierInPortal(token, higher.id, { nonce: answer.nonce, signature: null }),
  ).rejects.toEqual(refused('incomplete_proof'))
  expect(await world.portal.changeTierInPortal(token, higher.id, answer)).toMatchObject({ outcome: 'changed' })
  expect(await termsOf(id)).toMatchObject({ tierId: higher.id, authorizedAmount: 22n * UNIT, approveSignature: null })
  await expect(world.portal.changeTierInPortal(token, higher.id, answer)).rejects.toEqual(refused('same_tier'))
  await expect(world.portal.changeTierInPortal(token, highest.id, answer)).rejects.toEqual(refused('invalid_signature'))
  const proofs = await world.db.prisma.walletChallenge.findMany({ where: { subjectId: id, usedAt: { not: null } } })
  expect(proofs).toMatchObject([{ purpose: 'change', signature: expect.any(Uint8Array) }])
  expect(await world.approvalsOf(id)).toEqual([])
  await expectCovered(id)
})

test('a raise in the last paid period needs a signed text, although it authorizes no charge before the renewal', async () => {
  const once = await world.sibling({ authorizationPeriods: 1, payoutOwner: world.tier.payoutOwner })
  const { owner, id, token } = await world.subscribed(once)
  expect(await termsOf(id)).toMatchObject({ status: 'renewal_required' })
  const offer = challengeOf(await world.portal.changeTierInPortal(token, higher.id, NO_ANSWER))
  expect(offer.challenge.input.statement).toMatch(/ every month, 0\.00 USD in total for 0 charges\.$/)
  expect(await world.portal.changeTierInPortal(token, higher.id, await answered(owner, offer))).toMatchObject({
    outcome: 'changed',
  })
  expect(await termsOf(id)).toMatchObject({ tierId: higher.id, status: 'renewal_required', authorizedAmount: 0n })
  await expectCovered(id)
})

test('a proof whose room is gone asks for an approve, and the room is judged by the chain of this moment', async () => {
  const { owner, id, token } = await world.subscribed()
  await world.approve(owner, 30n * UNIT, world.delegate)
  const answer = await answered(owner, challengeOf(await world.portal.changeTierInPortal(token, higher.id, NO_ANSWER)))
  await world.approve(owner, 12n * UNIT, world.delegate)
  expect(await world.portal.changeTierInPortal(token, higher.id, answer)).toMatchObject({
    outcome: 'approval_required',
  })
  expect(await termsOf(id)).toMatchObject({ tierId: world.tier.id })
})

test('a raise without room needs an approve for the new total, with the slices of the others', async () => {
  const { owner, id, token } = await world.subscribed()
  const other = await world.open(world.tier)
  const first = await prepareApprove(world.services, other.token, owner.address)
  await expect(world.portal.changeTierInPortal(token, higher.id, NO_ANSWER)).rejects.toEqual(
    refused('authorization_pending'),
  )
  const completing = { subscriptionId: first.subscriptionId, transaction: await signedBy(owner, first) }
  await until(
    async () => (await world.services.activateCheckout(other.token, completing)).status === 'completed',
    20_000,
  )
  const approve = approveOf(await world.portal.changeTierInPortal(token, higher.id, NO_ANSWER))
  expect(approve.amount).toBe((12n + 22n) * UNIT)
  const again = approveOf(await world.portal.changeTierInPortal(token, higher.id, NO_ANSWER))
  expect(again).toEqual({ ...approve, expiresAt: again.expiresAt })
  await expect(world.portal.renewInPortal(token, NO_ANSWER)).rejects.toEqual(refused('authorization_pending'))
  await expect(world.services.prepareCheckout((await world.open(world.tier)).token, owner.address)).rejects.toEqual(
    refused('authorization_pending'),
  )
  const given = { approvalId: approve.approvalId, transaction: await signedBy(owner, approve) }
  await until(async () => (await world.portal.activateInPortal(token, given))?.outcome === 'changed')
  const { subscription, delegation } = await world.facts(id)
  const [stored] = await world.approvalsOf(id)
  expect(subscription).toMatchObject({
    tierId: higher.id,
    unitAmount: 2n * UNIT,
    authorizedAmount: 22n * UNIT,
    delegationEpoch: delegation.epoch,
    approveSignature: stored?.feePayerSignature,
  })
  expect(delegation).toMatchObject({ status: 'active', authorizedTotal: 34n * UNIT })
  expect(stored).toMatchObject({ state: 'final_ok', intentId: null })
  expect(await world.portal.activateInPortal(token, given)).toMatchObject({ outcome: 'changed' })
  expect(await world.events(id)).toContain('subscription.updated')
  await expectCovered(id)
})

test('a renewal does not cover the other subscription again whose allowance its owner has removed a moment before', async () => {
  const { owner, id, token } = await world.subscribed()
  await world.approve(owner, 23n * UNIT, world.delegate)
  const other = await world.open(await world.tierOf(await world.addBusiness()))
  const offer = await prepareProof(world.services, other.token, owner.address)
  await world.services.confirmCheckout(other.token, await answered(owner, offer))
  await world.workUntil(async () => (await world.facts(offer.subscriptionId)).subscription.status === 'active')
  await world.revoke(owner)
  expect(approveOf(await world.portal.renewInPortal(token, NO_ANSWER)).amount).toBe(12n * UNIT)
  expect((await world.facts(offer.subscriptionId)).subscription.status).toBe('revoked')
  expect((await world.facts(id)).subscription.status).toBe('revoked')
})

test.each(['change', 'renewal', 'revocation'] as const)(
  'a signed %s is pending from the moment at which it is stored, also while no provider answers',
  async (kind) => {
    const { owner, id, token } = await world.subscribed()
    if (kind === 'revocation') await world.portal.cancelInPortal(token, false)
    const offered =
      kind === 'revocation'
        ? await world.portal.revokeInPortal(token)
        : approveOf(
            kind === 'change'
              ? await world.portal.changeTierInPortal(token, higher.id, NO_ANSWER)
              : await world.portal.renewInPortal(token, NO_ANSWER),
          )
    const given = { approvalId: offered.approvalId, transaction: await signedBy(owner, offered) }
    const away = () => Promise.reject(new ServiceError('chain_unavailable'))
    const chain = { ...world.parts.chainOf(), broadcast: away, signatureStatuses: away, lifetime: away }
    const portal = world.portalWith({ chainOf: () => chain })
    for (const _repeat of [1, 2]) expect(await portal.activateInPortal(token, given)).toBeNull()
    expect((await world.approvalsOf(id))[0]?.wire).not.toBeNull()
    expect(world.errors).toEqual([])
  },
)

test('a renewal authorizes all periods again, and there is nothing to renew after it', async () => {
  const { owner, id, token } = await world.subscribed()
  const approve = approveOf(await world.portal.renewInPortal(token, NO_ANSWER))
  expect(approve.amount).toBe(12n * UNIT)
  const given = { approvalId: approve.approvalId, transaction: await signedBy(owner, approve) }
  await until(async () => (await world.portal.activateInPortal(token, given))?.outcome === 'renewed')
  expect(await termsOf(id)).toMatchObject({ authorizedAmount: 12n * UNIT, spentAmount: 0n, periods: 12 })
  await expect(world.portal.renewInPortal(token, NO_ANSWER)).rejects.toEqual(refused('nothing_to_renew'))
  await expectCovered(id)
})

test('a renewal with room needs a signed text', async () => {
  const { owner, id, token } = await world.subscribed()
  await world.approve(owner, 12n * UNIT, world.delegate)
  const offer = challengeOf(await world.portal.renewInPortal(token, NO_ANSWER))
  expect(offer.challenge.input.statement).toMatch(/^Renew the subscription/)
  expect(await world.portal.renewInPortal(token, await answered(owner, offer))).toMatchObject({ outcome: 'renewed' })
  expect(await termsOf(id)).toMatchObject({ authorizedAmount: 12n * UNIT, spentAmount: 0n })
  await expectCovered(id)
})

test('requests for one renewal at once get one approve, and one text is used by one of them', async () => {
  const { id, token } = await world.subscribed()
  const offers = await Promise.all([1, 2, 3].map(() => world.portal.renewInPortal(token, NO_ANSWER)))
  expect(new Set(offers.map((offer) => approveOf(offer).approvalId)).size).toBe(1)
  expect(await world.approvalsOf(id)).toHaveLength(1)
  const other = await world.subscribed()
  await world.approve(other.owner, 12n * UNIT, world.delegate)
  const answer = await answered(other.owner, challengeOf(await world.portal.renewInPortal(other.token, NO_ANSWER)))
  const renewals = await Promise.allSettled([1, 2, 3].map(() => world.portal.renewInPortal(other.token, answer)))
  expect(renewals.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect((await world.events(other.id)).filter((type) => type === 'subscription.updated')).toHaveLength(1)
  await expectCovered(other.id)
})

test('an approve is not sent after its subscription has changed; a wallet that sends it gets no more than it agreed to', async () => {
  const { owner, id, token } = await world.subscribed()
  const approve = approveOf(await world.portal.changeTierInPortal(token, higher.id, NO_ANSWER))
  await world.decide(id, pause)
  await world.decide(id, resume)
  const given = { approvalId: approve.approvalId, transaction: await signedBy(owner, approve) }
  await expect(world.portal.activateInPortal(token, given)).rejects.toEqual(refused('subscription_changed'))
  expect(await world.approvalsOf(id)).toMatchObject([{ state: 'prepared', wire: null }])
  await expect(world.portal.changeTierInPortal(token, higher.id, NO_ANSWER)).rejects.toEqual(
    refused('authorization_pending'),
  )
  await world.broadcast(given.transaction)
  await untilBooked(id)
  expect(await termsOf(id)).toMatchObject({ tierId: higher.id, authorizedAmount: 22n * UNIT })
  await expectCovered(id)
})

test('the tier does not change while a charge is unpaid, also by an approve from before', async () => {
  const { owner, id, token } = await world.subscribed(daily)
  const approve = approveOf(await world.portal.changeTierInPortal(token, higher.id, NO_ANSWER))
  await world.broadcast(await signedBy(owner, approve))
  world.sleep(DAY_MS)
  await world.decide(id, decideDue)
  const { charge } = await world.facts(id)
  const later = await world.link(id)
  await expect(world.portal.changeTierInPortal(later, lower.id, NO_ANSWER)).rejects.toEqual(
    expect.objectContaining({ code: 'charge_in_progress', context: { charge_id: charge?.charge.id } }),
  )
  await untilBooked(id)
  const given = { approvalId: approve.approvalId, transaction: await signedBy(owner, approve) }
  await expect(world.portal.activateInPortal(later, given)).rejects.toEqual(refused('subscription_changed'))
  expect(await termsOf(id)).toMatchObject({ tierId: daily.id, authorizedAmount: 12n * UNIT })
  await world.workUntil(async () => (await termsOf(id)).spentAmount === 2n * UNIT)
  await expectCovered(id)
})

test('a renewal whose approve is booked after a later charge stays within what the charge has left', async () => {
  const { owner, id, token } = await world.subscribed(daily)
  const approve = approveOf(await world.portal.renewInPortal(token, NO_ANSWER))
  await world.broadcast(await signedBy(owner, approve))
  const allowance = async () => [...(await world.present(owner)).states.values()][0]?.token?.delegation?.allowance
  await until(async () => (await allowance()) === 12n * UNIT)
  world.sleep(DAY_MS)
  await world.workUntil(async () => (await termsOf(id)).spentAmount === 2n * UNIT)
  await untilBooked(id)
  expect(await world.claims(id)).toEqual({ outstanding: 11n * UNIT, allowance: 11n * UNIT })
  await world.checkDelegations()
  expect(await termsOf(id)).toMatchObject({ status: 'active', authorizedAmount: 11n * UNIT })
  expect(await allowance()).toBe(11n * UNIT)
  await expectCovered(id)
})

test('a renewal by an approve goes on with the period that the chain is in, also when the clock of the machine is a day ahead', async () => {
  const { owner, id } = await world.subscribed(daily)
  await world.revoke(owner)
  await world.checkDelegations()
  world.sleep(DAY_MS + HOUR_MS)
  const approve = approveOf(await world.portal.renewInPortal(await world.link(id), NO_ANSWER))
  await world.broadcast(await signedBy(owner, approve))
  world.sleep(DAY_MS)
  world.setBehind(DAY_MS)
  await untilBooked(id)
  expect(await world.facts(id)).toMatchObject({
    subscription: { status: 'active', periodIndex: 1, nextChargePeriod: 1 },
    charge: { charge: { periodIndex: 1, status: 'pending' } },
  })
  world.sleep(-DAY_MS)
  world.setBehind(0)
  await world.workUntil(async () => (await termsOf(id)).spentAmount === UNIT)
  await expectCovered(id)
})

test('a revoked subscription that ends with its period goes on by a renewal, because it cannot be resumed', async () => {
  const { owner, id, token } = await world.subscribed()
  await world.portal.cancelInPortal(token, true)
  await world.revoke(owner)
  await world.checkDelegations()
  expect(await termsOf(id)).toMatchObject({ status: 'revoked', cancelAtPeriodEnd: true })
  await expect(world.portal.resumeInPortal(token)).rejects.toEqual(refused('authorization_exhausted'))
  const approve = approveOf(await world.portal.renewInPortal(token, NO_ANSWER))
  const given = { approvalId: approve.approvalId, transaction: await signedBy(owner, approve) }
  await until(async () => (await world.portal.activateInPortal(token, given))?.outcome === 'renewed')
  expect(await termsOf(id)).toMatchObject({ status: 'active', cancelAtPeriodEnd: false, canceledAt: null })
  await expectCovered(id)
})

test('an approve of a subscription that was canceled meanwhile changes nothing, and a revocation waits for it', async () => {
  const { owner, id, token } = await world.subscribed()
  const approve = approveOf(await world.portal.renewInPortal(token, NO_ANSWER))
  await world.portal.cancelInPortal(token, false)
  await expect(world.portal.revokeInPortal(token)).rejects.toEqual(refused('authorization_pending'))
  await world.broadcast(await signedBy(owner, approve))
  await untilBooked(id)
  expect(await termsOf(id)).toMatchObject({ status: 'canceled', authorizedAmount: 12n * UNIT })
  const given = { approvalId: approve.approvalId, transaction: await signedBy(owner, approve) }
  await expect(world.portal.activateInPortal(token, given)).rejects.toEqual(refused('subscription_ended'))
})

test('nothing but the offered transaction with the signature of its owner is accepted', async () => {
  const { owner, id, token } = await world.subscribed()
  const other = await world.subscribed()
  const approve = approveOf(await world.portal.renewInPortal(token, NO_ANSWER))
  const { approvalId } = approve
  const good = await signedBy(owner, approve)
  for (const transaction of [
    approve.transaction,
    new Uint8Array(),
    good.map((byte, at) => (at === good.length - 1 ? byte ^ 1 : byte)),
    await signedBy(other.owner, approve),
  ])
    await expect(world.portal.activateInPortal(token, { approvalId, transaction })).rejects.toEqual(
      refused('invalid_signature'),
    )
  for (const [wrongToken, wrongId] of [
    [other.token, approvalId],
    [token, 'none'],
    [token, id],
  ] as const)
    await expect(world.portal.activateInPortal(wrongToken, { approvalId: wrongId, transaction: good })).rejects.toEqual(
      refused('subscription_changed'),
    )
  expect(await world.approvalsOf(id)).toMatchObject([{ state: 'prepared', wire: null }])
})

test('a link of the business cannot raise, renew or send an approve', async () => {
  const { owner, id, token } = await world.subscribed()
  const merchant = await world.link(id, 'merchant')
  const approve = approveOf(await world.portal.renewInPortal(token, NO_ANSWER))
  const given = { approvalId: approve.approvalId, transaction: await signedBy(owner, approve) }
  const proofRequired = refused('wallet_proof_required')
  await expect(world.portal.changeTierInPortal(merchant, higher.id, NO_ANSWER)).rejects.toEqual(proofRequired)
  await expect(world.portal.renewInPortal(merchant, NO_ANSWER)).rejects.toEqual(proofRequired)
  await expect(world.portal.activateInPortal(merchant, given)).rejects.toEqual(proofRequired)
})

test('approves that strangers left unsigned refuse no renewal, and a renewal counts for none of them', async () => {
  const { owner, token } = await world.subscribed()
  await world.holdByStrangers(world.tier, owner.address, MOST_UNSIGNED_OF_WALLET - 1, true)
  approveOf(await world.portal.renewInPortal(token, NO_ANSWER))
  const data = { state: 'dead', feePayerSignature: null }
  await world.db.prisma.approval.updateMany({ where: { delegation: { wallet: owner.address } }, data })
  await world.holdByStrangers(world.tier, owner.address, 1, true)
  approveOf(await world.portal.renewInPortal(token, NO_ANSWER))
})

test('the sponsor offers nothing beyond its budget, and a frozen account is refused', async () => {
  const { owner, id, token } = await world.subscribed()
  const poor = world.portalWith({ sponsorLamportsPerDay: makeLamports(1n) })
  await expect(poor.renewInPortal(token, NO_ANSWER)).rejects.toEqual(refused('rate_limited'))
  expect(await world.approvalsOf(id)).toEqual([])
  await world.freeze(owner.address)
  await expect(world.portal.renewInPortal(token, NO_ANSWER)).rejects.toEqual(refused('account_frozen'))
})
