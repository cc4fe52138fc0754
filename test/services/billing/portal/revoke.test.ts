// The end of an allowance after a cancellation, on a chain: the wallet signs a revocation, and the fee payer pays for it.
import { generateKeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MOST_UNSIGNED_OF_WALLET } from '#core/billing/sponsoring.ts'
import type { Tier } from '#core/billing/tier.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { UNIT } from '../../../support/charging-world.ts'
import { answered, prepareProof, signedBy } from '../../../support/checkout-world.ts'
import { units } from '../../../support/payment.ts'
import { type PortalWorld, startPortalWorld } from '../../../support/portal-world.ts'
import { until } from '../../../support/until.ts'

let world: PortalWorld
/** 12 periods of it have room in the allowance that a canceled subscription leaves. */
let lower: Tier

beforeAll(async () => {
  world = await startPortalWorld()
  lower = await world.sibling({ unitBaseUnits: units(UNIT / 2n) })
})
afterAll(() => world.stop())

const refused = (code: string) => expect.objectContaining({ code })
const IN_USE = refused('allowance_in_use')
const NOTHING = refused('nothing_to_revoke')
const PENDING = refused('authorization_pending')

async function canceled() {
  const subscribed = await world.subscribed()
  await world.portal.cancelInPortal(subscribed.token, false)
  return subscribed
}

/** Returns the request that completes a checkout by a signed text, without an approve. */
async function signedText(owner: Awaited<ReturnType<typeof canceled>>['owner']) {
  const { token } = await world.open(lower)
  const answer = await answered(owner, await prepareProof(world.services, token, owner.address))
  return () => world.services.confirmCheckout(token, answer)
}

test('a canceled subscription is revoked by its wallet, also with a link of the business, and nothing else changes', async () => {
  const { owner, id } = await world.subscribed()
  const token = await world.link(id, 'merchant')
  expect((await world.portal.readPortal(token)).revocable).toBe(false)
  await expect(world.portal.revokeInPortal(token)).rejects.toEqual(IN_USE)
  await world.portal.cancelInPortal(token, false)
  expect((await world.portal.readPortal(token)).revocable).toBe(true)
  const [before, events] = [await world.facts(id), await world.events(id)]

  const offered = await world.portal.revokeInPortal(token)
  const again = await world.portal.revokeInPortal(token)
  expect(again).toEqual({ ...offered, expiresAt: again.expiresAt })
  const { approvalId } = offered
  await expect(world.portal.activateInPortal(token, { approvalId, transaction: offered.transaction })).rejects.toEqual(
    refused('invalid_signature'),
  )
  const given = { approvalId, transaction: await signedBy(owner, offered) }
  await until(async () => (await world.portal.activateInPortal(token, given))?.outcome === 'revoked')

  const { subscription, delegation, others } = await world.facts(id)
  expect({ subscription, others, events: await world.events(id) }).toEqual({
    subscription: before.subscription,
    others: [],
    events,
  })
  const { epoch, authorizedTotal } = before.delegation
  expect(delegation).toMatchObject({
    status: 'cleared',
    chainDelegate: null,
    chainAllowance: 0n,
    epoch,
    authorizedTotal,
  })
  expect(await world.approvalsOf(id)).toMatchObject([{ state: 'final_ok', intentId: null }])
  world.sleep(10_001)
  expect((await world.portal.readPortal(token)).revocable).toBe(false)
  await expect(world.portal.revokeInPortal(token)).rejects.toEqual(NOTHING)
  expect(await world.portal.activateInPortal(token, given)).toEqual({ outcome: 'revoked', subscription })
  expect(world.errors).toEqual([])
})

test('a revocation and an approve wait for each other; the worker books a revocation that the wallet has sent', async () => {
  const { owner, id, token } = await canceled()
  const confirm = await signedText(owner)
  const offered = await world.portal.revokeInPortal(token)
  await expect(confirm()).rejects.toEqual(PENDING)
  const { token: another } = await world.open(lower)
  await expect(world.services.prepareCheckout(another, owner.address)).rejects.toEqual(PENDING)
  await world.broadcast(await signedBy(owner, offered))
  await until(async () => {
    await world.watch()
    return (await world.approvalsOf(id))[0]?.state === 'final_ok'
  })
  expect((await world.facts(id)).delegation).toMatchObject({ status: 'cleared', chainDelegate: null })
  await expect(confirm()).rejects.toEqual(refused('authorization_required'))
  expect(await world.services.prepareCheckout(another, owner.address)).toMatchObject({ requiresSignature: true })
  await expect(world.portal.revokeInPortal(token)).rejects.toEqual(PENDING)
})

test('a subscription that begins before the revocation is stored keeps its allowance; one page revokes at a time', async () => {
  const { owner, id, token } = await canceled()
  const confirm = await signedText(owner)
  const { approvals } = world.deps
  const late = world.portalWith({
    approvals: {
      ...approvals,
      async prepare(...given) {
        await confirm()
        return await approvals.prepare(...given)
      },
    },
  })
  await expect(late.revokeInPortal(token)).rejects.toEqual(IN_USE)
  expect(await world.approvalsOf(id)).toEqual([])

  const begun = await world.db.prisma.billingSubscription.findFirstOrThrow({ where: { tierId: lower.id } })
  await world.db.prisma.billingSubscription.update({ where: { id: begun.id }, data: { status: 'canceled' } })
  await world.portal.revokeInPortal(token)
  await expect(world.portal.revokeInPortal(await world.link(begun.id))).rejects.toEqual(PENDING)
})

test('the sponsor pays for no revocation beyond its budget, nor of an allowance that the chain no longer shows', async () => {
  const { owner, id, token } = await canceled()
  const poor = world.portalWith({ sponsorLamportsPerDay: makeLamports(1n) })
  await expect(poor.revokeInPortal(token)).rejects.toEqual(refused('rate_limited'))
  await world.approve(owner, UNIT, (await generateKeyPairSigner()).address)
  await expect(world.portal.revokeInPortal(token)).rejects.toEqual(NOTHING)
  expect(await world.approvalsOf(id)).toEqual([])
})

test('approves that strangers left unsigned refuse a revocation by a link of the business, and none by a link of the wallet', async () => {
  const { owner, id, token } = await canceled()
  await world.holdByStrangers(world.tier, owner.address, MOST_UNSIGNED_OF_WALLET, true)
  await expect(world.portal.revokeInPortal(await world.link(id, 'merchant'))).rejects.toEqual(refused('rate_limited'))
  await expect(world.portal.revokeInPortal(token)).resolves.toMatchObject({ amount: 0n })
})

test('processes that are killed before and after the booking of a revocation end the allowance once', async () => {
  const { owner, id, token } = await canceled()
  const offered = await world.portal.revokeInPortal(token)
  const given = { approvalId: offered.approvalId, transaction: await signedBy(owner, offered) }
  const { approvals } = world.deps
  const killedAt = (moment: 'before' | 'after') =>
    world.portalWith({
      approvals: {
        ...approvals,
        async end(...ended) {
          if (moment === 'after') await approvals.end(...ended)
          throw new Error('killed')
        },
      },
    })
  await expect(killedAt('before').activateInPortal(token, given)).rejects.toThrow('killed')
  expect((await world.facts(id)).delegation.chainDelegate).toBe(world.delegate)
  await expect(killedAt('after').activateInPortal(token, given)).rejects.toThrow('killed')
  expect(await world.portal.activateInPortal(token, given)).toMatchObject({ outcome: 'revoked' })
  expect((await world.facts(id)).delegation).toMatchObject({ status: 'cleared', chainDelegate: null })
  const booked = await world.db.prisma.ledgerEntry.count({ where: { subjectId: offered.approvalId } })
  expect(booked).toBe(1)
})
