// The charging engine on a chain: what is due is pulled once, and what cannot be pulled is a failure that says why.

import type { Address } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createChargeAuditStore } from '#adapters/prisma/audit/charge-audit-store.ts'
import { BILLING_RECORDS } from '#core/audit/charges.ts'
import { decideCancel, decideChargeNow } from '#core/billing/machine/manage.ts'
import { judgeRevocation } from '#core/billing/machine/revoking.ts'
import type { Tier } from '#core/billing/tier.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { createBillingAudit } from '#services/audit/charges.ts'
import { createCheckDelegations } from '#services/billing/charging/check-delegations.ts'
import { cancelLater, cancelNow, pause, resume } from '../../support/charge.ts'
import { type ChargingWorld, startChargingWorld, UNIT } from '../../support/charging-world.ts'
import { addBusiness } from '../../support/stores.ts'
import { until } from '../../support/until.ts'

// A real chain takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

let world: ChargingWorld
let tier: Tier

beforeAll(async () => {
  world = await startChargingWorld()
  tier = await world.tier(await world.addBusiness())
})
afterAll(() => world.stop())

const statusOf = async (id: string) => (await world.facts(id)).subscription.status
const chargeOf = async (id: string) => {
  const { charge } = await world.facts(id)
  if (charge === null) throw new Error('no charge')
  return charge.charge
}
const paid = (id: string, period: number) => async () => {
  const { status, periodIndex } = await chargeOf(id)
  return periodIndex === period && status === 'succeeded'
}

/** A subscription whose first charge has succeeded. */
async function active(tokens = 12n * UNIT) {
  const owner = await world.wallet(tokens, 12n * UNIT)
  const id = await world.subscribe(tier, owner)
  await world.workUntil(paid(id, 0))
  return { owner, id }
}

type Owner = Awaited<ReturnType<typeof active>>['owner']

async function disable(accountId: string, isDisabled: boolean): Promise<void> {
  const data = { disabledAt: isDisabled ? world.clock.now() : null }
  await world.db.prisma.account.update({ where: { id: accountId }, data })
}

/** Moves the time to the moment at which the next period begins. */
async function nextPeriod(id: string): Promise<void> {
  const { subscription } = await world.facts(id)
  if (subscription.currentPeriodEnd === null) throw new Error('no period')
  world.sleep(subscription.currentPeriodEnd.getTime() - world.clock.now().getTime() + 1)
}

/** Moves the time to the next try of a failed charge. */
async function nextTry(id: string): Promise<void> {
  const { nextAttemptAt } = await chargeOf(id)
  if (nextAttemptAt === null) throw new Error('no try follows')
  world.sleep(nextAttemptAt.getTime() - world.clock.now().getTime() + 1)
}

test('the first charge activates, and pays business and platform in one transaction', async () => {
  const owner = await world.wallet(5n * UNIT, 12n * UNIT)
  const [payoutBefore, platformBefore] = await balances()
  const id = await world.subscribe(tier, owner)
  expect(await statusOf(id)).toBe('incomplete')
  await world.workUntil(paid(id, 0))
  const { subscription, delegation } = await world.facts(id)
  const charge = await chargeOf(id)
  expect(subscription).toMatchObject({ status: 'active', spentAmount: UNIT, periodIndex: 0, anchor: charge.settledAt })
  expect(delegation.chainAllowance).toBe(11n * UNIT)
  const [payout, platform] = await balances()
  expect([payout - payoutBefore, platform - platformBefore]).toEqual([990_000n, 10_000n])
  expect([charge.netAmount, charge.feeAmount]).toEqual([990_000n, 10_000n])
  expect(await world.tools.tokensOf(owner.address, world.mint)).toBe(4n * UNIT)
  expect(await world.events(id)).toEqual(['subscription.created', 'subscription.activated'])
  expect(await world.events(charge.id)).toEqual(['charge.created', 'charge.succeeded'])
  expect(world.errors).toEqual([])
})

async function balances(): Promise<readonly [bigint, bigint]> {
  const { payoutOwner, platformWallet } = tier
  if (platformWallet === null) throw new Error('no platform wallet')
  return [await world.tools.tokensOf(payoutOwner, world.mint), await world.tools.tokensOf(platformWallet, world.mint)]
}

test('nothing is pulled before the period begins, and once when it has begun', async () => {
  const { id, owner } = await active()
  const { subscription } = await world.facts(id)
  const end = subscription.currentPeriodEnd?.getTime() ?? 0
  world.sleep(end - world.clock.now().getTime() - 5 * MINUTE_MS)
  await world.round()
  expect((await chargeOf(id)).periodIndex).toBe(0)
  world.sleep(5 * MINUTE_MS)
  await world.workUntil(paid(id, 1))
  for (let again = 0; again < 3; again += 1) await world.round()
  expect(await world.tools.tokensOf(owner.address, world.mint)).toBe(10n * UNIT)
  expect((await world.facts(id)).subscription).toMatchObject({ periodIndex: 1, spentAmount: 2n * UNIT })
  expect(world.errors).toEqual([])
})

test('a worker that comes late to book a charge changes nothing, also when the next charge has begun', async () => {
  const book = vi.spyOn(world.charges, 'book')
  const { id } = await active()
  const first = await chargeOf(id)
  const late = book.mock.calls.find(([{ transfer }]) => transfer.subject.id === first.id)
  book.mockRestore()
  if (late === undefined) throw new Error('the first charge was not booked')
  await nextPeriod(id)
  await world.workUntil(paid(id, 1))
  const before = await world.facts(id)
  await world.charges.book(...late)
  expect(await world.facts(id)).toEqual(before)
})

test('a machine whose clock is a day ahead of the chain begins no period, and pulls nothing, before the chain reaches it', async () => {
  const { id } = await active()
  world.setBehind(DAY_MS)
  await nextPeriod(id)
  await world.round()
  await world.round()
  expect((await world.facts(id)).subscription.periodIndex).toBe(0)
  expect(await chargeOf(id)).toMatchObject({ periodIndex: 0, status: 'succeeded' })
  world.setBehind(0)
  await world.workUntil(paid(id, 1))
})

test('a provider that has not seen the approve yet lets no charge fail', async () => {
  const owner = await world.wallet(5n * UNIT, 0n)
  const before = await world.present(owner)
  await world.approve(owner, 12n * UNIT, world.delegate)
  const id = await world.subscribe(tier, owner)
  await world.checkDelegations()
  world.setPast(before)
  await world.round()
  expect(await chargeOf(id)).toMatchObject({ status: 'pending', failureCode: null, attempts: 0 })
  world.setPast(null)
  await world.workUntil(paid(id, 0))
  expect(world.errors).toEqual([])
})

describe('an attempt that was stored by an instance that died before it signed', () => {
  /** The second period has begun, and its attempt is stored. */
  async function prepared() {
    const { id, owner } = await active()
    await nextPeriod(id)
    world.setSigns(false)
    await world.workUntil(async () => (await world.facts(id)).charge?.live === 'prepared')
    world.setSigns(true)
    world.errors.length = 0
    return { id, tokens: () => world.tools.tokensOf(owner.address, world.mint) }
  }

  test('is signed by the next', async () => {
    const { id } = await prepared()
    await world.workUntil(paid(id, 1))
  })

  test('is never signed when the subscription was canceled meanwhile', async () => {
    const { id, tokens } = await prepared()
    await world.decide(id, cancelLater)
    await world.advance()
    expect(await chargeOf(id)).toMatchObject({ periodIndex: 1, status: 'canceled', signature: null })
    await nextPeriod(id)
    for (let again = 0; again < 3; again += 1) await world.round()
    expect(await statusOf(id)).toBe('canceled')
    expect(await tokens()).toBe(11n * UNIT)
    expect(world.errors).toEqual([])
  })

  test('is not signed while recurring billing is disabled', async () => {
    const { id, tokens } = await prepared()
    world.turn(false)
    for (let again = 0; again < 3; again += 1) await world.round()
    expect((await world.facts(id)).charge?.live).toBe('prepared')
    expect(await tokens()).toBe(11n * UNIT)
    world.turn(true)
    await world.workUntil(paid(id, 1))
  })

  test('is not signed while the operator has disabled the business', async () => {
    const { id, tokens } = await prepared()
    await disable(tier.accountId, true)
    for (let again = 0; again < 3; again += 1) await world.round()
    const { charge } = await world.facts(id)
    await disable(tier.accountId, false)
    expect(charge?.live).toBe('prepared')
    expect(await tokens()).toBe(11n * UNIT)
    await world.workUntil(paid(id, 1))
  })
})

test('a wallet with too little is past due without a transaction, and is charged at once when it is refilled', async () => {
  const { id, owner } = await active(UNIT)
  await nextPeriod(id)
  await world.workUntil(async () => (await statusOf(id)) === 'past_due')
  expect(await chargeOf(id)).toMatchObject({ status: 'failed', failureCode: 'insufficient_funds', signature: null })
  await world.refill()
  expect((await chargeOf(id)).status).toBe('failed')
  await refilled(id, owner.address)
  await world.workUntil(paid(id, 1))
  expect(await statusOf(id)).toBe('active')
  expect(await world.tools.tokensOf(owner.address, world.mint)).toBe(0n)
  const { id: chargeId } = await chargeOf(id)
  expect(await world.events(chargeId)).toEqual(['charge.created', 'charge.failed', 'charge.succeeded'])
  expect(world.errors).toEqual([])
})

/** The wallet gets the amount of a period, and the charge is planned again when that is final. */
async function refilled(id: string, wallet: Address): Promise<void> {
  await world.tools.fundToken(world.mint, wallet, UNIT)
  await until(async () => {
    await world.refill()
    return (await chargeOf(id)).status === 'pending'
  })
}

test('a wallet that is filled for a moment costs one failed transaction for each time of dunning, whatever is asked for', async () => {
  const { id, owner } = await active(UNIT)
  await nextPeriod(id)
  await world.workUntil(async () => (await statusOf(id)) === 'past_due')
  await refilled(id, owner.address)
  const stranger = await world.tools.wallet()
  world.beforeSend(async () => {
    await world.tools.payToken(owner, stranger.address, world.mint, UNIT)
  })
  await world.workUntil(async () => (await chargeOf(id)).attempts === 2)
  const { failureCode, retryFrom } = await chargeOf(id)
  expect(failureCode).toBe('insufficient_funds')
  const transactions = () => world.db.prisma.transferAttempt.count({ where: { transfer: { source: owner.address } } })
  const sent = await transactions()
  await world.tools.finalized(await world.tools.payToken(stranger, owner.address, world.mint, UNIT))
  await world.refill()
  expect((await chargeOf(id)).status).toBe('failed')
  await expect(world.decide(id, decideChargeNow)).rejects.toMatchObject({ code: 'rate_limited' })
  // A pause and a resume plan the charge again, and it waits all the same.
  await world.decide(id, pause)
  await world.decide(id, resume)
  for (let again = 0; again < 3; again += 1) await world.round()
  expect(await chargeOf(id)).toMatchObject({ status: 'pending', nextAttemptAt: retryFrom })
  expect(await transactions()).toBe(sent)
  world.sleep((retryFrom?.getTime() ?? 0) - world.clock.now().getTime())
  await world.workUntil(paid(id, 1))
  expect(await transactions()).toBe(sent + 1)
  expect(world.errors).toEqual([])
})

test('a transaction that failed is not judged by accounts from before it', async () => {
  const { id, owner } = await active(UNIT)
  await nextPeriod(id)
  await world.workUntil(async () => (await statusOf(id)) === 'past_due')
  await refilled(id, owner.address)
  const { slot, states } = await world.present(owner)
  const [[account, state] = []] = states
  if (account === undefined || state?.token == null) throw new Error('the wallet has a token account')
  const beforeApprove = { ...state, token: { ...state.token, delegation: null } }
  world.beforeSend(async () => {
    await world.tools.payToken(owner, (await world.tools.wallet()).address, world.mint, UNIT)
    world.setPast({ slot, states: new Map([[account, beforeApprove]]) })
  })
  await world.workUntil(async () => (await chargeOf(id)).attempts === 2)
  world.setPast(null)
  expect(await chargeOf(id)).toMatchObject({ status: 'failed', failureCode: 'insufficient_funds' })
  expect(await statusOf(id)).toBe('past_due')
  expect(world.errors).toEqual([])
})

test('an allowance that the owner revoked stops the subscription in the next round, before a charge is due', async () => {
  const { id, owner } = await active()
  await world.revoke(owner)
  await world.checkDelegations()
  expect(await statusOf(id)).toBe('revoked')
  expect((await world.facts(id)).delegation).toMatchObject({ status: 'revoked', chainDelegate: null })
  await nextPeriod(id)
  for (let again = 0; again < 3; again += 1) await world.round()
  expect((await chargeOf(id)).periodIndex).toBe(0)
  expect(await world.tools.tokensOf(owner.address, world.mint)).toBe(11n * UNIT)
  expect(world.errors).toEqual([])
})

test.each([
  ['revoked', (owner: Owner) => world.revoke(owner)],
  ['replaced', (owner: Owner) => world.approve(owner, 12n * UNIT, tier.payoutOwner)],
] as const)('a delegation that was %s is cleared when its subscription is canceled', async (status, takeAway) => {
  const { id, owner } = await active()
  await takeAway(owner)
  await world.checkDelegations()
  expect((await world.facts(id)).delegation).toMatchObject({ status, clearedAt: null })
  await world.decide(id, cancelNow)
  expect((await world.facts(id)).delegation).toMatchObject({ status: 'cleared', clearedAt: expect.any(Date) })
  expect(world.errors).toEqual([])
})

test('a delegation is exhausted with the charge of its last authorized unit, before any round reads it, and cleared with the end', async () => {
  const once = await world.tier(await world.addBusiness(), { authorizationPeriods: 1 })
  const owner = await world.wallet(UNIT, UNIT)
  const id = await world.subscribe(once, owner)
  await world.workUntil(paid(id, 0))
  expect((await world.facts(id)).delegation).toMatchObject({ status: 'exhausted', chainAllowance: 0n })
  await world.checkDelegations()
  expect((await world.facts(id)).delegation).toMatchObject({ status: 'exhausted', chainAllowance: 0n })
  await world.decide(id, cancelNow)
  expect((await world.facts(id)).delegation).toMatchObject({ status: 'cleared', clearedAt: expect.any(Date) })
  expect(world.errors).toEqual([])
})

test('a revocation that an instance noticed before it died is noticed again', async () => {
  const { id, owner } = await active()
  await world.revoke(owner)
  const { billing } = world.parts
  const dying = { ...billing, facts: () => Promise.reject(new Error('the instance died')) }
  await createCheckDelegations({ ...world.parts, billing: dying }, 0)('live')
  world.errors.length = 0
  expect(await statusOf(id)).toBe('active')
  await world.checkDelegations()
  expect(await statusOf(id)).toBe('revoked')
  expect((await world.facts(id)).delegation.status).toBe('revoked')
  expect(world.errors).toEqual([])
})

test('an allowance that another delegate replaced is found at the charge, and nothing is pulled', async () => {
  const { id, owner } = await active()
  await world.approve(owner, 12n * UNIT, tier.payoutOwner)
  await nextPeriod(id)
  await world.workUntil(async () => (await statusOf(id)) === 'revoked')
  expect(await chargeOf(id)).toMatchObject({ failureCode: 'delegate_replaced', signature: null })
  await world.checkDelegations()
  expect((await world.facts(id)).delegation.status).toBe('replaced')
  expect(await world.tools.tokensOf(owner.address, world.mint)).toBe(11n * UNIT)
  expect(world.errors).toEqual([])
})

test('a pause that is committed before the attempt stops the pull, and a resume charges the period that contains it', async () => {
  const { id, owner } = await active()
  await world.decide(id, pause)
  await nextPeriod(id)
  for (let again = 0; again < 3; again += 1) await world.round()
  expect((await chargeOf(id)).periodIndex).toBe(0)
  world.sleep(40 * DAY_MS)
  await world.decide(id, resume)
  await world.workUntil(paid(id, 2))
  expect((await world.facts(id)).subscription).toMatchObject({
    status: 'active',
    periodIndex: 2,
    spentAmount: 2n * UNIT,
  })
  expect(await world.tools.tokensOf(owner.address, world.mint)).toBe(10n * UNIT)
  expect(world.errors).toEqual([])
})

test('a subscription that is canceled at the end of its period is not charged again', async () => {
  const { id, owner } = await active()
  await world.decide(id, cancelLater)
  expect(await statusOf(id)).toBe('active')
  await nextPeriod(id)
  await world.workUntil(async () => (await statusOf(id)) === 'canceled')
  for (let again = 0; again < 3; again += 1) await world.round()
  expect(await world.tools.tokensOf(owner.address, world.mint)).toBe(11n * UNIT)
  expect(world.errors).toEqual([])
})

test.each([
  ['canceled at the end of its period', cancelLater],
  ['paused', pause],
] satisfies [string, Parameters<typeof world.decide>[1]][])(
  'the failed charge of a subscription that is %s is not pulled after a refill, and is again after a resume',
  async (_case, stop) => {
    const { id, owner } = await active(UNIT)
    await nextPeriod(id)
    await world.workUntil(async () => (await statusOf(id)) === 'past_due')
    await world.decide(id, stop)
    const stopped = (await world.facts(id)).subscription
    expect(stopped).toMatchObject({ nextChargeAt: null, pastDueSince: null })
    expect(await chargeOf(id)).toMatchObject({ status: 'canceled', periodIndex: 1 })
    await world.tools.fundToken(world.mint, owner.address, UNIT)
    world.sleep(DAY_MS)
    for (let again = 0; again < 3; again += 1) {
      await world.refill()
      await world.round()
    }
    expect(await world.tools.tokensOf(owner.address, world.mint)).toBe(UNIT)
    expect((await world.facts(id)).subscription).toMatchObject({ status: stopped.status, periodIndex: 1 })
    await world.decide(id, resume)
    await world.workUntil(paid(id, 1))
    expect(await world.tools.tokensOf(owner.address, world.mint)).toBe(0n)
    expect(world.errors).toEqual([])
  },
)

test('while billing is disabled no attempt begins, and a transaction under way still ends', async () => {
  const [underWay, waiting] = [await world.wallet(UNIT, 12n * UNIT), await world.wallet(UNIT, 12n * UNIT)]
  const first = await world.subscribe(tier, underWay)
  await world.round()
  const second = await world.subscribe(tier, waiting)
  world.turn(false)
  await world.workUntil(paid(first, 0))
  for (let again = 0; again < 3; again += 1) await world.round()
  expect(await chargeOf(second)).toMatchObject({ status: 'pending', attempts: 0 })
  expect(await world.tools.tokensOf(waiting.address, world.mint)).toBe(UNIT)
  world.turn(true)
  await world.workUntil(paid(second, 0))
  expect(world.errors).toEqual([])
})

describe('while the operator has disabled the business', () => {
  /** A subscription of a business of its own, whose first charge has succeeded. */
  async function activeOf(tokens: bigint) {
    const business = await world.addBusiness()
    const id = await world.subscribe(await world.tier(business), await world.wallet(tokens, 12n * UNIT))
    await world.workUntil(paid(id, 0))
    return { id, ...business }
  }

  test('no charge begins, a transaction under way ends, and what was missed is charged later', async () => {
    const business = await world.addBusiness()
    const monthly = await world.tier(business)
    const [underWay, waiting] = [await world.wallet(3n * UNIT, 12n * UNIT), await world.wallet(UNIT, 12n * UNIT)]
    const first = await world.subscribe(monthly, underWay)
    await world.round()
    const second = await world.subscribe(monthly, waiting)
    await disable(business.accountId, true)
    await world.workUntil(paid(first, 0))
    for (let again = 0; again < 3; again += 1) await world.round()
    expect(await chargeOf(second)).toMatchObject({ status: 'pending', attempts: 0 })
    expect(await world.tools.tokensOf(waiting.address, world.mint)).toBe(UNIT)
    await disable(business.accountId, false)
    await world.workUntil(paid(second, 0))
    await disable(business.accountId, true)
    await nextPeriod(first)
    for (let again = 0; again < 3; again += 1) await world.round()
    expect(await chargeOf(first)).toMatchObject({ periodIndex: 1, status: 'pending', attempts: 0 })
    await disable(business.accountId, false)
    await world.workUntil(paid(first, 1))
    expect(world.errors).toEqual([])
  })

  test('missed periods are charged afterwards, oldest first, and a day apart', async () => {
    const { id, accountId } = await activeOf(12n * UNIT)
    await disable(accountId, true)
    for (let missed = 1; missed <= 2; missed += 1) {
      await nextPeriod(id)
      await world.round()
    }
    expect((await world.facts(id)).subscription).toMatchObject({ periodIndex: 2, nextChargePeriod: 1 })
    world.sleep(MINUTE_MS)
    await disable(accountId, false)
    await world.workUntil(paid(id, 1))
    await world.round()
    expect(await chargeOf(id)).toMatchObject({ periodIndex: 1 })
    world.sleep(DAY_MS)
    await world.workUntil(paid(id, 2))
    expect(world.errors).toEqual([])
  })

  test('a subscription that its subscriber canceled ends with its period, and then the allowance can be ended', async () => {
    const { id, accountId } = await activeOf(12n * UNIT)
    await disable(accountId, true)
    await world.decide(id, (facts, context) => decideCancel(facts, true, 'subscriber', context))
    expect(judgeRevocation(await world.facts(id), world.delegate)).toBe('allowance_in_use')
    await nextPeriod(id)
    await world.round()
    expect((await world.facts(id)).subscription).toMatchObject({ status: 'canceled', dueAt: null })
    expect(judgeRevocation(await world.facts(id), world.delegate)).toBeNull()
  })

  test('a subscription whose charge waits can be canceled at once, and then the allowance can be ended', async () => {
    const { id, accountId } = await activeOf(12n * UNIT)
    await disable(accountId, true)
    await nextPeriod(id)
    await world.round()
    expect((await chargeOf(id)).periodIndex).toBe(1)
    await world.decide(id, (facts, context) => decideCancel(facts, false, 'subscriber', context))
    expect(await chargeOf(id)).toMatchObject({ periodIndex: 1, status: 'canceled' })
    expect(judgeRevocation(await world.facts(id), world.delegate)).toBeNull()
  })

  test('a first charge is given up after 23 hours', async () => {
    const business = await world.addBusiness()
    await disable(business.accountId, true)
    const id = await world.subscribe(await world.tier(business), await world.wallet(UNIT, 12n * UNIT))
    world.sleep(23 * 60 * MINUTE_MS)
    await world.round()
    expect((await world.facts(id)).subscription).toMatchObject({ status: 'failed', dueAt: null })
    expect(await chargeOf(id)).toMatchObject({ status: 'canceled', attempts: 0 })
  })

  test('a past-due subscription is paused 7 days after the failure, and nothing is tried until then', async () => {
    const { id, accountId } = await activeOf(UNIT)
    await nextPeriod(id)
    await world.workUntil(async () => (await statusOf(id)) === 'past_due')
    await disable(accountId, true)
    await nextTry(id)
    await world.round()
    expect(await chargeOf(id)).toMatchObject({ status: 'pending', attempts: 1 })
    world.sleep(7 * DAY_MS)
    await world.round()
    expect((await world.facts(id)).subscription).toMatchObject({ status: 'paused', dueAt: null })
    expect(await chargeOf(id)).toMatchObject({ status: 'canceled', attempts: 1 })
  })

  test('its sellers are charged for no more than it is, and one disabled seller leaves the others alone', async () => {
    const marketplace = await world.addBusiness()
    const [bad, good] = [await world.addSeller(marketplace), await world.addSeller(marketplace)]
    const subscribeTo = async (seller: typeof bad) =>
      await world.subscribe(await world.tier(seller), await world.wallet(UNIT, 12n * UNIT))
    await disable(bad.accountId, true)
    const [waits, goesOn] = [await subscribeTo(bad), await subscribeTo(good)]
    await world.workUntil(paid(goesOn, 0))
    expect(await chargeOf(waits)).toMatchObject({ status: 'pending', attempts: 0 })
  })
})

test('one of two charges at the same moment creates the token account of the business, and none creates it again in 30 days', async () => {
  const business = await world.tools.wallet()
  const owners = [await world.wallet(9n * UNIT, 12n * UNIT), await world.wallet(9n * UNIT, 12n * UNIT)]
  const payoutOwner = makeAddress(business.address)
  const daily = await world.tier(await world.addBusiness(), { payoutOwner, platformWallet: null, interval: 'day' })
  const ids = await Promise.all(owners.map((owner) => world.subscribe(daily, owner)))
  await world.round()
  const charges = () => Promise.all(ids.map(chargeOf))
  expect((await charges()).map(({ status }) => status).toSorted()).toEqual(['pending', 'submitted'])
  for (const id of ids) await world.workUntil(paid(id, 0))
  const where = { kind: 'charge', asset: 'SOL', subjectId: { in: (await charges()).map(({ id }) => id) } }
  const costs = (await world.db.prisma.ledgerEntry.findMany({ where })).map(({ delta }) => -delta.toNumber())
  expect(costs.filter((cost) => cost > 1_000_000)).toHaveLength(1)
  await world.closeAccount(business)
  const [id = ''] = ids
  await nextPeriod(id)
  await world.workUntil(async () => (await chargeOf(id)).failureCode === 'destination_unavailable')
  expect(await chargeOf(id)).toMatchObject({ periodIndex: 1, status: 'failed', signature: null })
  expect(world.errors).toEqual([])
})

test('a payout account that the business closes between the check and the landing is not the fault of the subscriber', async () => {
  const business = await world.tools.wallet()
  const payoutOwner = makeAddress(business.address)
  // Within a day no other subscription of these tests is charged.
  const sold = await world.tier(await world.addBusiness(), { payoutOwner, interval: 'day' })
  const id = await world.subscribe(sold, await world.wallet(9n * UNIT, 12n * UNIT))
  await world.workUntil(paid(id, 0))
  await nextPeriod(id)
  world.beforeSend(() => world.closeAccount(business))
  await world.workUntil(async () => (await chargeOf(id)).status === 'failed')
  const { id: subjectId, failureCode } = await chargeOf(id)
  expect(failureCode).toBe('destination_unavailable')
  expect(await world.db.prisma.transferAttempt.count({ where: { transfer: { subjectId } } })).toBe(1)
  expect(await statusOf(id)).toBe('active')
  expect(world.errors).toEqual([])
})

test('charges create the accounts of 50 sellers of a marketplace in 24 hours, and no more until they are over', async () => {
  const { id } = await active()
  const { id: subjectId } = await chargeOf(id)
  const { prisma } = world.db
  const { id: transferId, attemptCount: attempt } = await prisma.transfer.findFirstOrThrow({ where: { subjectId } })
  const { accountId: marketplaceId } = await world.addBusiness()
  const sellerOf = () => addBusiness(world.db, 'live', marketplaceId)
  const plannedAt = world.clock.now()
  for (let made = 0; made < 50; made += 1) {
    const of = { network: 'live', accountId: (await sellerOf()).accountId, asset: tier.mint } as const
    await prisma.payoutCreation.create({ data: { ...of, transferId, attempt, plannedAt } })
  }
  const sold = await world.tier(await sellerOf())
  const next = await world.subscribe(sold, await world.wallet(9n * UNIT, 12n * UNIT))
  await world.workUntil(async () => (await chargeOf(next)).failureCode === 'destination_unavailable')
  expect(await chargeOf(next)).toMatchObject({ status: 'failed', signature: null })
  await prisma.payoutCreation.updateMany({ data: { plannedAt: new Date(plannedAt.getTime() - DAY_MS) } })
  await nextTry(next)
  await world.workUntil(paid(next, 0))
  expect(world.errors).toEqual([])
})

test('after all of this, an audit finds no difference', async () => {
  const { keys, clock } = world.parts
  const feePayer = keys.addressOf({ network: 'live', branch: 'fee_payer' })
  const networks = { live: { feePayer }, test: null }
  const { page } = createBillingAudit({ chargeAudit: createChargeAuditStore(world.db), keys, clock, networks })
  for (const record of BILLING_RECORDS) {
    const { findings, totals } = await page('live', { record, after: null, limit: 200 })
    expect(findings).toEqual([])
    for (const { pulled, paidOut, fees } of totals) expect(paidOut + fees).toBe(pulled)
  }
})
