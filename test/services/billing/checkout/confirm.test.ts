import { randomInt } from 'node:crypto'
import { type KeyPairSigner, signBytes } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import type { Tier } from '#core/billing/tier.ts'
import { ServiceError } from '#core/errors.ts'
import { alteredApproves } from '../../../support/approves.ts'
import { UNIT } from '../../../support/charging-world.ts'
import {
  answered,
  prepareApprove,
  prepareProof,
  signedBy,
  startCheckoutWorld,
} from '../../../support/checkout-world.ts'
import { OFF_CURVE } from '../../../support/payment.ts'
import { until } from '../../../support/until.ts'

let world: Awaited<ReturnType<typeof startCheckoutWorld>>

// The checkout by a signed text, for a wallet whose allowance has room.
describe('a checkout by a signed text', () => {
  let tier: Tier

  beforeAll(async () => {
    world = await startCheckoutWorld()
    tier = await world.tier(await world.addBusiness())
  })
  afterAll(() => world.stop())

  const refused = (code: string) => expect.objectContaining({ code })
  const statusOf = async (token: string) => (await world.services.readCheckout(token)).status
  const invalid = refused('invalid_signature')

  /** A wallet whose allowance has room, and a checkout that it has prepared. */
  async function prepared({ allowance = 24n * UNIT, patch = {} as Parameters<typeof world.open>[1] } = {}) {
    const owner = await world.wallet(30n * UNIT, allowance)
    const checkout = await world.open(tier, patch)
    const offer = await prepareProof(world.services, checkout.token, owner.address)
    return { owner, ...checkout, offer, answer: await answered(owner, offer) }
  }

  const delegationOf = async (wallet: string) => {
    const [delegation] = await world.db.prisma.delegation.findMany({ where: { wallet } })
    if (delegation === undefined) throw new Error('no delegation')
    return delegation
  }

  test('a signed text completes the checkout without an approve, and its first charge activates the subscription', async () => {
    const { owner, token, id, offer, answer } = await prepared()
    expect(offer).toMatchObject({
      requiresSignature: false,
      challenge: {
        input: { uri: 'https://pay.example.com/pay/s', resources: [`urn:uuid:${offer.subscriptionId}`, /./] },
      },
    })
    const completed = { status: 'completed', subscriptionId: offer.subscriptionId }
    expect(await world.services.confirmCheckout(token, answer)).toEqual(completed)
    const { subscription } = await world.facts(offer.subscriptionId)
    expect(subscription).toMatchObject({
      status: 'incomplete',
      approveSignature: null,
      subscriberWallet: owner.address,
    })
    expect(await world.approvals(id)).toEqual([])
    expect(await delegationOf(owner.address)).toMatchObject({ status: 'active', epoch: 1 })
    await world.workUntil(async () => (await world.facts(offer.subscriptionId)).subscription.status === 'active')
    expect(await world.events(offer.subscriptionId)).toEqual(['subscription.created', 'subscription.activated'])
    expect(await world.services.confirmCheckout(token, answer)).toEqual(completed)
  })

  test('two checkouts that prepare a new wallet at once both get a text, and the wallet is stored once', async () => {
    const owner = await world.wallet(30n * UNIT, 24n * UNIT)
    const checkouts = [await world.open(tier), await world.open(tier)]
    const offers = await Promise.all(checkouts.map(({ token }) => prepareProof(world.services, token, owner.address)))
    expect(new Set(offers.map(({ challenge }) => challenge.nonce)).size).toBe(2)
    expect(await world.db.prisma.delegation.count({ where: { wallet: owner.address } })).toBe(1)
  })

  test('a repeat with another nonce, or by another wallet, is no repeat', async () => {
    const { owner, token, offer, answer } = await prepared()
    const second = await answered(owner, await prepareProof(world.services, token, owner.address))
    await world.services.confirmCheckout(token, answer)
    const { confirmCheckout } = world.services
    await expect(confirmCheckout(token, second)).rejects.toEqual(refused('checkout_completed'))
    await expect(confirmCheckout(token, { ...answer, nonce: 'x'.repeat(32) })).rejects.toEqual(
      refused('checkout_completed'),
    )
    expect((await world.facts(offer.subscriptionId)).subscription.subscriberWallet).toBe(owner.address)
  })

  test('the same answer twice at once completes the checkout once, and both get the same result', async () => {
    const { token, offer, answer } = await prepared()
    const { confirmCheckout } = world.services
    const both = await Promise.all([confirmCheckout(token, answer), confirmCheckout(token, answer)])
    expect(both).toEqual(Array(2).fill({ status: 'completed', subscriptionId: offer.subscriptionId }))
    expect(await world.events(offer.subscriptionId)).toEqual(['subscription.created'])
  })

  test('an answer without a nonce or a signature is incomplete, and one of another wallet or of no wallet is refused', async () => {
    const { token, answer } = await prepared()
    const { confirmCheckout } = world.services
    for (const part of ['nonce', 'signature'] as const)
      for (const value of [undefined, null, ''])
        await expect(confirmCheckout(token, { ...answer, [part]: value })).rejects.toEqual(refused('incomplete_proof'))
    const { nonce: _nonce, signature: _signature, ...nothing } = answer
    await expect(confirmCheckout(token, nothing)).rejects.toEqual(refused('incomplete_proof'))
    const stranger = await world.wallet(UNIT, 24n * UNIT)
    await expect(confirmCheckout(token, { ...answer, wallet: stranger.address })).rejects.toEqual(invalid)
    for (const wallet of ['no wallet', OFF_CURVE])
      await expect(confirmCheckout(token, { ...answer, wallet })).rejects.toEqual(refused('invalid_subscriber_wallet'))
    await expect(confirmCheckout('unknown', answer)).rejects.toEqual(refused('checkout_not_found'))
    expect(await statusOf(token)).toBe('open')
  })

  test('a challenge of another checkout is no proof, and neither is an unknown one', async () => {
    const { owner, token, answer } = await prepared()
    const other = await world.open(tier)
    const { confirmCheckout } = world.services
    await expect(confirmCheckout(other.token, answer)).rejects.toEqual(invalid)
    await prepareProof(world.services, other.token, owner.address)
    await expect(confirmCheckout(other.token, answer)).rejects.toEqual(invalid)
    await expect(confirmCheckout(token, { ...answer, nonce: 'f'.repeat(32) })).rejects.toEqual(invalid)
    expect([await statusOf(token), await statusOf(other.token)]).toEqual(['open', 'open'])
  })

  test('a pinned wallet alone can confirm', async () => {
    const owner = await world.wallet(UNIT, 24n * UNIT)
    const { token } = await world.open(tier, { subscriberWallet: owner.address, walletPinned: true })
    const answer = await answered(owner, await prepareProof(world.services, token, owner.address))
    const stranger = await world.wallet(UNIT, 24n * UNIT)
    const { confirmCheckout } = world.services
    await expect(confirmCheckout(token, { ...answer, wallet: stranger.address })).rejects.toEqual(
      refused('wallet_not_permitted'),
    )
    await expect(confirmCheckout(token, answer)).resolves.toMatchObject({ status: 'completed' })
  })

  test('the fifth wrong signature burns the challenge, also for the right one', async () => {
    const { token, owner, answer } = await prepared()
    const { confirmCheckout } = world.services
    const wrong = { ...answer, signature: Buffer.alloc(64, 1).toString('base64') }
    for (let failure = 0; failure < 5; failure += 1)
      await expect(confirmCheckout(token, wrong)).rejects.toEqual(invalid)
    await expect(confirmCheckout(token, answer)).rejects.toEqual(invalid)
    const again = await answered(owner, await prepareProof(world.services, token, owner.address))
    await expect(confirmCheckout(token, again)).resolves.toMatchObject({ status: 'completed' })
  })

  test('an expired challenge is no proof, and an expired or canceled checkout takes none', async () => {
    const { owner, token, id, answer } = await prepared()
    const { confirmCheckout, prepareCheckout } = world.services
    world.sleep(600_001)
    await expect(confirmCheckout(token, answer)).rejects.toEqual(invalid)
    const fresh = await answered(owner, await prepareProof(world.services, token, owner.address))
    const bump = { version: { increment: 1 } }
    await world.db.prisma.subscriptionIntent.update({ where: { id }, data: { expiresAt: world.clock.now(), ...bump } })
    await expect(confirmCheckout(token, fresh)).rejects.toEqual(refused('checkout_expired'))
    await world.db.prisma.subscriptionIntent.update({ where: { id }, data: { status: 'canceled', ...bump } })
    await expect(confirmCheckout(token, fresh)).rejects.toEqual(refused('checkout_closed'))
    await expect(prepareCheckout(token, owner.address)).rejects.toEqual(refused('checkout_closed'))
  })

  test('the checkout of an archived seller takes no proof, and prepares none', async () => {
    const tenant = await world.addBusiness()
    const owner = await world.wallet(30n * UNIT, 24n * UNIT)
    const { token } = await world.open(await world.tier(tenant))
    const answer = await answered(owner, await prepareProof(world.services, token, owner.address))
    await world.db.prisma.account.update({ where: { id: tenant.accountId }, data: { archivedAt: world.clock.now() } })
    await expect(world.services.confirmCheckout(token, answer)).rejects.toEqual(refused('checkout_closed'))
    await expect(world.services.prepareCheckout(token, owner.address)).rejects.toEqual(refused('checkout_closed'))
  })

  test('a wallet that changes the text sends the bytes that it has signed', async () => {
    const { owner, token, offer, answer } = await prepared()
    const bytes = new TextEncoder().encode(
      offer.challenge.message.replaceAll(/^(Issued At: .*|Expiration Time: .*)Z$/gm, '$1+00:00'),
    )
    const signature = Buffer.from(await signBytes(owner.keyPair.privateKey, bytes)).toString('base64')
    const { confirmCheckout } = world.services
    await expect(confirmCheckout(token, { ...answer, signature })).rejects.toEqual(invalid)
    const signedMessage = Buffer.from(bytes).toString('base64')
    await expect(confirmCheckout(token, { ...answer, signature, signedMessage })).resolves.toMatchObject({
      status: 'completed',
    })
  })

  test('room that is gone by the time of the confirmation needs an approve, and the signed text stays unused', async () => {
    const { owner, token, offer, answer } = await prepared({ allowance: 12n * UNIT })
    const rival = await world.open(tier)
    const rivalAnswer = await answered(owner, await prepareProof(world.services, rival.token, owner.address))
    await world.services.confirmCheckout(rival.token, rivalAnswer)
    await expect(world.services.confirmCheckout(token, answer)).rejects.toEqual(refused('authorization_required'))
    expect(await world.parts.billing.facts(offer.subscriptionId)).toBeNull()
    const [unused] = await world.db.prisma.walletChallenge.findMany({ where: { usedAt: null, wallet: owner.address } })
    expect(unused?.failures).toBe(0)
    expect(await world.services.prepareCheckout(token, owner.address)).toMatchObject({
      requiresSignature: true,
      amount: 24n * UNIT,
    })
  })

  test('an owner who lowers the allowance meanwhile needs an approve', async () => {
    const { owner, token, answer } = await prepared()
    await world.approve(owner, 12n * UNIT - 1n, world.delegate)
    await expect(world.services.confirmCheckout(token, answer)).rejects.toEqual(refused('authorization_required'))
    await world.revoke(owner)
    await expect(world.services.confirmCheckout(token, answer)).rejects.toEqual(refused('authorization_required'))
    await world.freeze(owner.address)
    await expect(world.services.confirmCheckout(token, answer)).rejects.toEqual(refused('account_frozen'))
  })

  test('two confirmations of one wallet at once do not share room for one', async () => {
    const { owner, token, answer } = await prepared({ allowance: 12n * UNIT })
    const rival = await world.open(tier)
    const rivalAnswer = await answered(owner, await prepareProof(world.services, rival.token, owner.address))
    const { confirmCheckout } = world.services
    const outcomes = await Promise.allSettled([
      confirmCheckout(token, answer),
      confirmCheckout(rival.token, rivalAnswer),
    ])
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(reasons).toEqual([refused('authorization_required')])
  })

  test('no text completes a checkout while an approve of the wallet may land, and the same text does after it', async () => {
    const { owner, token, answer } = await prepared({ allowance: 12n * UNIT })
    const yearly = await world.tier(await world.addBusiness(), { authorizationPeriods: 13 })
    const other = await world.open(yearly)
    const offer = await prepareApprove(world.services, other.token, owner.address)
    const { confirmCheckout, activateCheckout } = world.services
    await expect(confirmCheckout(token, answer)).rejects.toEqual(refused('authorization_pending'))
    const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
    await until(async () => (await activateCheckout(other.token, given)).status === 'completed')
    await expect(confirmCheckout(token, answer)).rejects.toEqual(refused('authorization_required'))
    await world.approve(owner, 25n * UNIT, world.delegate)
    await expect(confirmCheckout(token, answer)).resolves.toMatchObject({ status: 'completed' })
  })

  test('a text that an approve overtakes after its decision completes nothing', async () => {
    const { owner, token, answer } = await prepared({ allowance: 12n * UNIT })
    const yearly = await world.tier(await world.addBusiness(), { authorizationPeriods: 13 })
    const other = await world.open(yearly)
    const { deps } = world
    const offers: unknown[] = []
    const services = world.servicesWith({
      billing: {
        ...deps.billing,
        async apply(...given) {
          if (offers.length === 0) offers.push(await prepareApprove(world.services, other.token, owner.address))
          return await deps.billing.apply(...given)
        },
      },
    })
    await expect(services.confirmCheckout(token, answer)).rejects.toEqual(refused('authorization_pending'))
    expect(offers).toMatchObject([{ amount: 13n * UNIT }])
    expect(await statusOf(token)).toBe('open')
  })

  test('a wallet over its limit of subscriptions confirms none', async () => {
    const { token, answer } = await prepared()
    const services = world.servicesWith({ subscriptionsPerWallet: 0 })
    await expect(services.confirmCheckout(token, answer)).rejects.toMatchObject({
      code: 'wallet_limit_reached',
      context: { limit: 0 },
    })
  })

  test('a read of the checkout reads the token account when the last reading is older than 10 seconds', async () => {
    const { owner, token } = await prepared()
    const before = await delegationOf(owner.address)
    await world.approve(owner, 5n, world.delegate)
    await world.services.readCheckout(token)
    expect((await delegationOf(owner.address)).chainAllowance).toEqual(before.chainAllowance)
    world.sleep(10_001)
    const { deps } = world
    const chain = deps.chainOf('live')
    const away = { ...chain, readAccounts: () => Promise.reject(new ServiceError('chain_unavailable')) }
    const blind = world.servicesWith({ chainOf: () => away })
    expect(await blind.readCheckout(token)).toMatchObject({ status: 'open' })
    expect((await delegationOf(owner.address)).chainAllowance).toEqual(before.chainAllowance)
    await world.services.readCheckout(token)
    expect(`${(await delegationOf(owner.address)).chainAllowance}`).toBe('5')
  })

  test('a wallet gets five texts a minute', async () => {
    const { owner, token } = await prepared()
    for (let more = 0; more < 4; more += 1) await prepareProof(world.services, token, owner.address)
    await expect(world.services.prepareCheckout(token, owner.address)).rejects.toMatchObject({
      code: 'rate_limited',
      context: { retry_after_seconds: expect.any(Number) },
    })
  })
})

// Whatever a wallet returns in the place of the prepared approve: the checkout refuses it, and nothing of it is stored or sent.
// ALTERED_ACTIVATIONS sets the number of altered transactions; the number in every run is small.
describe('an altered approve', () => {
  const COUNT = Number(process.env.ALTERED_ACTIVATIONS ?? 300)
  /** The database reads for some while the others are decoded and signed. */
  const AT_ONCE = 8
  const SEED = Number(process.env.APPROVE_SEED ?? randomInt(1, 2 ** 31))

  beforeAll(async () => {
    world = await startCheckoutWorld()
  })
  afterAll(() => world.stop())

  const signing = (owner: KeyPairSigner) => async (message: Uint8Array) =>
    Uint8Array.from(await signBytes(owner.keyPair.privateKey, message))

  test(`activate refuses ${COUNT} altered transactions of an approve, and takes one as it was prepared (seed ${SEED})`, {
    timeout: 7_200_000,
  }, async () => {
    const tier = await world.tier(await world.addBusiness())
    const prepared = async () => {
      const owner = await world.wallet(20n * UNIT, 0n)
      const checkout = await world.open(tier)
      return { owner, ...checkout, offer: await prepareApprove(world.services, checkout.token, owner.address) }
    }
    const [{ owner, token, id, offer }, stranger] = [await prepared(), await prepared()]
    const { mint } = world
    const approve = {
      good: await signedBy(owner, offer),
      owner: owner.address,
      account: associatedTokenAddress(owner.address, mint.mint, mint.tokenProgram),
      sign: signing(owner),
      strangerSigns: signing(stranger.owner),
      twin: await signedBy(owner, stranger.offer),
    }
    const activate = (transaction: Uint8Array) =>
      world.services.activateCheckout(token, { subscriptionId: offer.subscriptionId, transaction })
    const answers = new Map<string, number>()
    const tryOne = async ({ kind, wire }: { kind: string; wire: Uint8Array }) => {
      const answer = await activate(wire).then(
        () => `accepted: ${kind}`,
        ({ code }) => String(code),
      )
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
    const altered = alteredApproves(approve, { seed: SEED, count: COUNT })
    const tryAll = async () => {
      for (let next = await altered.next(); next.done !== true; next = await altered.next()) await tryOne(next.value)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, tryAll))
    process.stdout.write(
      `${COUNT} altered: ${[...answers].map(([answer, count]) => `${count} ${answer}`).join(', ')}; seed ${SEED}\n`,
    )
    expect([...answers.keys()]).toEqual(['invalid_signature'])
    expect((await world.approvals(id)).map(({ state, wire }) => [state, wire])).toEqual([['prepared', null]])
    // The first one may have expired meanwhile.
    const last = await prepared()
    const given = { subscriptionId: last.offer.subscriptionId, transaction: await signedBy(last.owner, last.offer) }
    await until(async () => (await world.services.activateCheckout(last.token, given)).status === 'completed')
  })
})
