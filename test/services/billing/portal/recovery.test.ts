// The recovery of links, and what strangers leave in the database: anyone can ask for a text of any wallet.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createExpiredRemover, KEEP_ENDED_MS } from '#services/billing/remove-expired.ts'
import { UNIT } from '../../../support/charging-world.ts'
import { answered, prepareApprove, prepareProof } from '../../../support/checkout-world.ts'
import { type PortalWorld, startPortalWorld } from '../../../support/portal-world.ts'

vi.setConfig({ testTimeout: 60_000 })

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

let world: PortalWorld
beforeAll(async () => {
  world = await startPortalWorld()
})
afterAll(() => world.stop())

const refused = expect.objectContaining({ code: 'invalid_signature' })

/** Asks for a text of the wallet, and signs it. */
const signed = async (owner: Awaited<ReturnType<PortalWorld['wallet']>>, portal = world.portal) => {
  const { wallet, ...answer } = await answered(owner, { challenge: await portal.challengeForLinks(owner.address) })
  return { wallet, answer }
}

/** Removes what the regular job removes. */
async function cleanUp(): Promise<void> {
  const { challenges, portalSessions, approvals } = world.deps
  const ended = { clock: world.clock, keepMs: KEEP_ENDED_MS }
  await createExpiredRemover(challenges.removeExpired, world)()
  await createExpiredRemover(portalSessions.removeExpired, ended)()
  await createExpiredRemover(approvals.removeUnused, ended)()
}

/** Counts the rows of the tables that requests without a credential, or with that of a checkout, write to. */
async function rows() {
  const { walletChallenge, portalSession, approval, delegation } = world.db.prisma
  return {
    challenges: await walletChallenge.count(),
    links: await portalSession.count(),
    approves: await approval.count(),
    delegations: await delegation.count(),
  }
}

test('strangers who ask for texts and answer them, and recoveries, leave no rows after 200 days', async () => {
  const subscriber = await world.subscribed()
  const stranger = await world.tools.wallet()
  const before = await rows()
  for (let day = 0; day < 200; day += 1) {
    const { wallet, answer } = await signed(stranger)
    expect(await world.portal.recoverLinks(wallet, answer)).toEqual([])
    expect((await rows()).challenges).toBe(before.challenges)
    const own = await signed(subscriber.owner)
    expect(await world.portal.recoverLinks(own.wallet, own.answer)).toHaveLength(1)
    world.sleep(DAY_MS)
    await cleanUp()
  }
  expect((await rows()).challenges).toBe(before.challenges)
  // The links of 30 days.
  expect((await rows()).links).toBeLessThanOrEqual(20)
  world.sleep(KEEP_ENDED_MS)
  await cleanUp()
  expect(await rows()).toEqual({ ...before, links: 0 })
  world.sleep(-200 * DAY_MS - KEEP_ENDED_MS)
}, 120_000)

test('texts for a wallet with subscriptions and for another wallet differ in nothing but the wallet, the nonce and the times', async () => {
  const { owner } = await world.subscribed()
  const stranger = await world.tools.wallet()
  const [own, other] = await Promise.all([
    world.portal.challengeForLinks(owner.address),
    world.portal.challengeForLinks(stranger.address),
  ])
  const form = (text: string, wallet: string) => text.replace(wallet, 'WALLET').replaceAll(/[0-9a-f]/g, '0')
  expect(form(own.message, owner.address)).toBe(form(other.message, stranger.address))
  for (const wallet of [owner.address, stranger.address])
    await expect(
      world.portal.recoverLinks(wallet, { nonce: own.nonce, signature: Buffer.alloc(64, 1).toString('base64') }),
    ).rejects.toEqual(refused)
})

test('a text is answered for ten minutes, at any instance, and only as the service has issued it', async () => {
  const { owner } = await world.subscribed()
  const { wallet, answer } = await signed(owner)
  const at = answer.nonce.length - 1
  for (const nonce of [
    '',
    'x'.repeat(76),
    answer.nonce.slice(0, -2),
    answer.nonce.slice(0, at) + (answer.nonce.endsWith('0') ? '1' : '0'),
    (answer.nonce.startsWith('f') ? '0' : 'f') + answer.nonce.slice(1),
  ])
    await expect(world.portal.recoverLinks(wallet, { ...answer, nonce })).rejects.toMatchObject({
      code: nonce === '' ? 'incomplete_proof' : 'invalid_signature',
    })
  const elsewhere = await signed(owner, world.portalWith({ recoveryKey: new Uint8Array(32).fill(1) }))
  await expect(world.portal.recoverLinks(wallet, elsewhere.answer)).rejects.toEqual(refused)
  world.sleep(10 * MINUTE_MS)
  await expect(world.portal.recoverLinks(wallet, answer)).rejects.toEqual(refused)
  world.sleep(-10 * MINUTE_MS)
  const used = [1, 2].map(() => world.portalWith({}).recoverLinks(wallet, answer))
  const outcomes = await Promise.allSettled(used)
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})

test('a subscription has at most twenty recovered links, the newest; links of the business are kept', async () => {
  const { owner, id } = await world.subscribed()
  const merchant = await world.link(id, 'merchant')
  const tokens: string[] = []
  for (let recovered = 0; recovered < 22; recovered += 1) {
    world.sleep(1)
    const { wallet, answer } = await signed(owner)
    const [found] = await world.portal.recoverLinks(wallet, answer)
    tokens.push(found?.link.portalUrl.split('/m/')[1] ?? '')
  }
  const opens = async (token = '') => (await world.portal.readPortal(token)).subscription.id
  await expect(opens(tokens[1])).rejects.toMatchObject({ code: 'portal_not_found' })
  for (const token of [merchant, tokens[2], tokens[21]]) expect(await opens(token)).toBe(id)
})

test('approves that never landed, and wallets that nothing else was stored for, are removed after 30 days', async () => {
  const before = await rows()
  const wallets = [await world.wallet(UNIT, 0n), await world.wallet(20n * UNIT, 20n * UNIT)]
  const [approving, signing] = [await world.open(world.tier), await world.open(world.tier)]
  await prepareApprove(world.services, approving.token, wallets[0]?.address ?? world.delegate)
  await world.db.prisma.approval.updateMany({
    where: { intentId: approving.id },
    data: { state: 'dead', resolvedAt: world.clock.now() },
  })
  await prepareProof(world.services, signing.token, wallets[1]?.address ?? world.delegate)
  await cleanUp()
  expect(await rows()).toMatchObject({
    approves: before.approves + 1,
    delegations: before.delegations + 2,
    challenges: before.challenges + 1,
  })
  const { owner } = await world.subscribed()
  world.sleep(KEEP_ENDED_MS + DAY_MS)
  await cleanUp()
  expect(await rows()).toMatchObject({
    approves: before.approves,
    delegations: before.delegations + 1,
    challenges: 0,
  })
  world.sleep(-KEEP_ENDED_MS - DAY_MS)
  expect(await world.db.prisma.delegation.count({ where: { wallet: owner.address } })).toBe(1)
})
