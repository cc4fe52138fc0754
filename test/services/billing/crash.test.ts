import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tier } from '#core/billing/tier.ts'
import { ServiceError } from '#core/errors.ts'
import type { CheckoutDeps } from '#services/billing/checkout/deps.ts'
import { UNIT } from '../../support/charging-world.ts'
import { answered, prepareApprove, prepareProof, signedBy, startCheckoutWorld } from '../../support/checkout-world.ts'
import { approveOf, type PortalWorld, startPortalWorld } from '../../support/portal-world.ts'
import { startTestService } from '../../support/services.ts'
import { until } from '../../support/until.ts'

class Killed extends Error {}

type Moment = 'before' | 'after'

const ignoreKill = (error: unknown): void => {
  if (!(error instanceof Killed)) throw error
}

// A process that is killed between any two steps of a checkout: the repeated request, or the worker, finishes it once.
describe('a checkout', () => {
  let world: Awaited<ReturnType<typeof startCheckoutWorld>>
  let tier: Tier

  beforeAll(async () => {
    world = await startCheckoutWorld()
    tier = await world.tier(await world.addBusiness())
  })
  afterAll(() => world.stop())

  type Step = 'prepare' | 'recordSponsored' | 'recordSigned' | 'broadcast' | 'transaction' | 'apply'
  const STEPS: readonly Step[] = ['prepare', 'recordSponsored', 'recordSigned', 'broadcast', 'transaction', 'apply']

  /** Returns a wrapper of calls: the call of this step ends the process before or after it. */
  const killingAt =
    (step: string, moment: Moment) =>
    <A extends readonly unknown[], R>(name: string, call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      if (name === step && moment === 'before') throw new Killed()
      const result = await call(...given)
      if (name === step) throw new Killed()
      return result
    }

  /** Returns the services of a process that is killed at its first call of the step. */
  function killedAt(step: Step, moment: Moment) {
    const { deps } = world
    const chain = deps.chainOf('live')
    const killing = killingAt(step, moment)
    const patch: Partial<CheckoutDeps> = {
      approvals: {
        ...deps.approvals,
        prepare: killing('prepare', deps.approvals.prepare),
        recordSponsored: killing('recordSponsored', deps.approvals.recordSponsored),
        recordSigned: killing('recordSigned', deps.approvals.recordSigned),
      },
      billing: { ...deps.billing, apply: killing('apply', deps.billing.apply) },
      chainOf: () => ({
        ...chain,
        broadcast: killing('broadcast', chain.broadcast),
        transaction: killing('transaction', chain.transaction),
      }),
    }
    return world.servicesWith(patch)
  }

  const CASES = STEPS.flatMap((step) => [
    { step, moment: 'before' as const },
    { step, moment: 'after' as const },
  ])

  test.each(CASES)('a process killed $moment $step leaves a checkout that completes once', async ({ step, moment }) => {
    const owner = await world.wallet(20n * UNIT, 0n)
    const { token, id } = await world.open(tier)
    const killed = killedAt(step, moment)
    const offer = await prepareApprove(killed, token, owner.address).catch(() =>
      prepareApprove(world.services, token, owner.address),
    )
    const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
    await killed.activateCheckout(token, given).catch(ignoreKill)
    await until(async () => (await world.services.activateCheckout(token, given)).status === 'completed')
    expect((await world.approvals(id)).map(({ state }) => state)).toEqual(['final_ok'])
    await world.workUntil(async () => (await world.facts(offer.subscriptionId)).subscription.status === 'active')
    expect(await world.tools.tokensOf(owner.address, world.mint)).toBe(19n * UNIT)
    expect(await world.events(offer.subscriptionId)).toEqual(['subscription.created', 'subscription.activated'])
  })

  type ConfirmStep = 'reserve' | 'issue' | 'apply'
  const CONFIRM_CASES = (['reserve', 'issue', 'apply'] as const).flatMap((step) => [
    { step, moment: 'before' as const },
    { step, moment: 'after' as const },
  ])

  /** Returns the services of a process that is killed at its first call of a step of a signed text. */
  function killedAtProof(step: ConfirmStep, moment: Moment) {
    const { checkouts, challenges, billing } = world.deps
    const killing = killingAt(step, moment)
    return world.servicesWith({
      checkouts: { ...checkouts, reserve: killing('reserve', checkouts.reserve) },
      challenges: { ...challenges, issue: killing('issue', challenges.issue) },
      billing: { ...billing, apply: killing('apply', billing.apply) },
    })
  }

  test.each(CONFIRM_CASES)(
    'a process killed $moment $step leaves a text that completes once',
    async ({ step, moment }) => {
      const owner = await world.wallet(20n * UNIT, 12n * UNIT)
      const { token, id } = await world.open(tier)
      const killed = killedAtProof(step, moment)
      const offer = await prepareProof(killed, token, owner.address).catch(() =>
        prepareProof(world.services, token, owner.address),
      )
      const answer = await answered(owner, offer)
      await killed.confirmCheckout(token, answer).catch(ignoreKill)
      const completed = { status: 'completed', subscriptionId: offer.subscriptionId }
      expect(await world.services.confirmCheckout(token, answer)).toEqual(completed)
      expect(await world.approvals(id)).toEqual([])
      const used = await world.db.prisma.walletChallenge.findMany({
        where: { wallet: owner.address, usedAt: { not: null } },
      })
      expect(used).toHaveLength(1)
      await world.workUntil(async () => (await world.facts(offer.subscriptionId)).subscription.status === 'active')
      expect(await world.tools.tokensOf(owner.address, world.mint)).toBe(19n * UNIT)
      expect(await world.events(offer.subscriptionId)).toEqual(['subscription.created', 'subscription.activated'])
    },
  )

  test('the worker sends what a killed process has stored', async () => {
    const owner = await world.wallet(20n * UNIT, 0n)
    const { token } = await world.open(tier)
    const offer = await prepareApprove(world.services, token, owner.address)
    const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
    const killed = killedAt('recordSigned', 'after')
    await expect(killed.activateCheckout(token, given)).rejects.toThrow(Killed)
    await until(async () => {
      await world.watch()
      return (await world.services.readCheckout(token)).status === 'completed'
    })
  })

  /** A completed checkout whose wallet has removed its allowance before the first charge. */
  async function withoutAllowance() {
    const owner = await world.wallet(20n * UNIT, 0n)
    const { token, id } = await world.open(tier)
    const offer = await prepareApprove(world.services, token, owner.address)
    const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
    await until(async () => (await world.services.activateCheckout(token, given)).status === 'completed')
    await world.revoke(owner)
    await world.workUntil(async () => (await firstChargeOf(token))?.status === 'failed')
    expect(await firstChargeOf(token)).toMatchObject({ failureCode: 'delegate_revoked', recoveryAction: 'reapprove' })
    return { owner, token, id, given, subscriptionId: offer.subscriptionId }
  }

  const firstChargeOf = async (token: string) => (await world.services.readCheckout(token)).firstCharge

  test('a first charge without an allowance succeeds after another approve', async () => {
    const { owner, token, id, given, subscriptionId } = await withoutAllowance()
    const stranger = await world.wallet(UNIT, 0n)
    await expect(world.services.prepareCheckout(token, stranger.address)).rejects.toEqual(
      expect.objectContaining({ code: 'wallet_not_permitted' }),
    )
    const limited = world.servicesWith({ subscriptionsPerWallet: 1 })
    const next = await prepareApprove(limited, token, owner.address)
    expect(next).toMatchObject({ subscriptionId, amount: 12n * UNIT })
    expect(await world.services.activateCheckout(token, given)).toMatchObject({ status: 'completed' })
    const signed = { subscriptionId, transaction: await signedBy(owner, next) }
    await until(async () => (await world.services.activateCheckout(token, signed)).status === 'completed')
    await world.workUntil(async () => (await firstChargeOf(token))?.status === 'succeeded')
    const { subscription, delegation } = await world.facts(subscriptionId)
    const [, second] = await world.approvals(id)
    expect(subscription).toMatchObject({ delegationEpoch: 2, approveSignature: second?.feePayerSignature })
    expect(delegation).toMatchObject({ status: 'active', epoch: 2 })
    expect(await world.tools.tokensOf(owner.address, world.mint)).toBe(19n * UNIT)
    await expect(world.services.prepareCheckout(token, owner.address)).rejects.toEqual(
      expect.objectContaining({ code: 'checkout_completed' }),
    )
  })

  test('an approve of a completed checkout that dies is reported, although the checkout is completed', async () => {
    const { owner, token, subscriptionId } = await withoutAllowance()
    const next = await prepareApprove(world.services, token, owner.address)
    const dying = { ...world.deps.approvals, recordSigned: async () => false }
    const services = world.servicesWith({ approvals: dying, chainOf: () => expiredChain() })
    const signed = { subscriptionId, transaction: await signedBy(owner, next) }
    await expect(services.activateCheckout(token, signed)).rejects.toEqual(
      expect.objectContaining({ code: 'blockhash_expired' }),
    )
    expect(await firstChargeOf(token)).toMatchObject({ status: 'failed' })
  })

  /** A chain that has proof that nothing can land. */
  function expiredChain() {
    const chain = world.deps.chainOf('live')
    return {
      ...chain,
      lifetime: async () => ({ ...(await chain.lifetime()), lastValidBlockHeight: 10n ** 12n }),
      proveExpired: async () => ({ expired: true, providers: 1 }) as const,
    }
  }

  test('a first charge without an allowance succeeds after a signed text, once the wallet has given it by itself', async () => {
    const { owner, token, subscriptionId } = await withoutAllowance()
    await world.approve(owner, 12n * UNIT, world.delegate)
    const answer = await answered(owner, await prepareProof(world.services, token, owner.address))
    const completed = { status: 'completed', subscriptionId }
    expect(await world.services.confirmCheckout(token, answer)).toEqual(completed)
    expect(await world.services.confirmCheckout(token, answer)).toEqual(completed)
    await world.workUntil(async () => (await firstChargeOf(token))?.status === 'succeeded')
    expect((await world.facts(subscriptionId)).delegation.status).toBe('active')
    expect(await world.tools.tokensOf(owner.address, world.mint)).toBe(19n * UNIT)
  })

  test('a first charge that failed can be tried again a minute later, over HTTP too, and no sooner', async () => {
    const owner = await world.wallet(1n, 0n)
    const { token } = await world.open(tier)
    await expect(world.services.retryCheckout(token)).rejects.toEqual(
      expect.objectContaining({ code: 'authorization_required' }),
    )
    const offer = await prepareApprove(world.services, token, owner.address)
    const given = { subscriptionId: offer.subscriptionId, transaction: await signedBy(owner, offer) }
    await until(async () => (await world.services.activateCheckout(token, given)).status === 'completed')
    await expect(world.services.retryCheckout(token)).rejects.toBeInstanceOf(ServiceError)
    const firstCharge = async () => (await world.services.readCheckout(token)).firstCharge
    await world.workUntil(async () => (await firstCharge())?.status === 'failed')
    expect(await firstCharge()).toMatchObject({ failureCode: 'insufficient_funds', recoveryAction: 'retry' })
    await world.tools.fundToken(world.mint, owner.address, UNIT)
    const service = await startTestService({ services: { subscriptionCheckout: world.services } })
    const retry = () => service.post(`/pay/s/${token}/retry`, {})
    const wait = expect.toSatisfy((seconds: number) => seconds > 30 && seconds <= 60)
    expect(await retry()).toMatchObject({ status: 429, body: { error: 'rate_limited', retry_after_seconds: wait } })
    expect(await firstCharge()).toMatchObject({ status: 'failed' })
    world.sleep(60_000)
    expect(await retry()).toMatchObject({
      status: 202,
      body: { first_charge: { status: 'pending', failure_code: null } },
    })
    await service.close()
    await world.workUntil(async () => (await firstCharge())?.status === 'succeeded')
  })
})

// A process that is killed between any two steps of an approve for other terms: the repeated request, or the worker, finishes
// it once.
describe('an approve for other terms', () => {
  let world: PortalWorld

  beforeAll(async () => {
    world = await startPortalWorld()
  })
  afterAll(() => world.stop())

  const STEPS = ['prepare', 'recordSponsored', 'recordSigned', 'broadcast', 'transaction', 'apply'] as const
  type Step = (typeof STEPS)[number]

  /** Returns the services of a process that is killed at its first call of the step. */
  function killedAt(step: Step, moment: Moment) {
    const { deps } = world
    const chain = deps.chainOf('live')
    const killing =
      <A extends readonly unknown[], R>(name: Step, call: (...given: A) => Promise<R>) =>
      async (...given: A): Promise<R> => {
        if (name === step && moment === 'before') throw new Killed()
        const result = await call(...given)
        if (name === step) throw new Killed()
        return result
      }
    return world.portalWith({
      approvals: {
        ...deps.approvals,
        prepare: killing('prepare', deps.approvals.prepare),
        recordSponsored: killing('recordSponsored', deps.approvals.recordSponsored),
        recordSigned: killing('recordSigned', deps.approvals.recordSigned),
      },
      billing: { ...deps.billing, apply: killing('apply', deps.billing.apply) },
      chainOf: () => ({
        ...chain,
        broadcast: killing('broadcast', chain.broadcast),
        transaction: killing('transaction', chain.transaction),
      }),
    })
  }

  const CASES = STEPS.flatMap((step) => [
    { step, moment: 'before' as const },
    { step, moment: 'after' as const },
  ])

  test.each(CASES)('a process killed $moment $step renews once', async ({ step, moment }) => {
    const { owner, id, token } = await world.subscribed()
    const killed = killedAt(step, moment)
    const outcome = await killed.renewInPortal(token, {}).catch((error: unknown) => {
      ignoreKill(error)
      return world.portal.renewInPortal(token, {})
    })
    const approve = approveOf(outcome)
    const given = { approvalId: approve.approvalId, transaction: await signedBy(owner, approve) }
    await killed.activateInPortal(token, given).catch(ignoreKill)
    await until(async () => (await world.portal.activateInPortal(token, given))?.outcome === 'renewed')
    expect((await world.approvalsOf(id)).map(({ state }) => state)).toEqual(['final_ok'])
    const { subscription, delegation } = await world.facts(id)
    expect(subscription).toMatchObject({ authorizedAmount: 12n * UNIT, spentAmount: 0n })
    expect(delegation).toMatchObject({ epoch: 2, authorizedTotal: 12n * UNIT })
    expect((await world.events(id)).filter((type) => type === 'subscription.updated')).toHaveLength(1)
  })

  test('the worker books an approve that a killed process has sent', async () => {
    const { owner, id, token } = await world.subscribed()
    const approve = approveOf(await world.portal.renewInPortal(token, {}))
    const given = { approvalId: approve.approvalId, transaction: await signedBy(owner, approve) }
    await killedAt('broadcast', 'before').activateInPortal(token, given).catch(ignoreKill)
    await until(async () => {
      await world.watch()
      return (
        (await world.facts(id)).subscription.authorizedAmount === 12n * UNIT &&
        (await world.facts(id)).delegation.epoch === 2
      )
    })
    expect(await world.portal.activateInPortal(token, given)).toMatchObject({ outcome: 'renewed' })
  })
})
