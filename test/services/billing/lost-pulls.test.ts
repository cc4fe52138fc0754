// Pulls that the database has lost: a failover to a standby that was behind, or a restored backup. The chain has them, and the
// history of the token account brings them back.
import { randomUUID } from 'node:crypto'
import type { KeyPairSigner } from '@solana/kit'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { chargeOfKey } from '#core/billing/charge-transfer.ts'
import type { Tier } from '#core/billing/tier.ts'
import { makeAddress, makeSignature } from '#core/chain/base58.ts'
import type { LegsPlan } from '#core/transfers/plan.ts'
import { delegateOf } from '#services/billing/decide.ts'
import { cancelNow } from '../../support/charge.ts'
import { type ChargingWorld, startChargingWorld, UNIT } from '../../support/charging-world.ts'
import { keepRows } from '../../support/lost-second.ts'
import { units } from '../../support/payment.ts'
import { mustSign } from '../../support/signing.ts'

// A real chain takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

let world: ChargingWorld
let tier: Tier
let owner: KeyPairSigner
let id: string

beforeAll(async () => {
  world = await startChargingWorld()
  tier = await world.tier(await world.addBusiness())
})
afterAll(() => world.stop())

/** A subscription whose first charge has succeeded, and whose second period begins now. */
beforeEach(async () => {
  world.setLostBefore(null)
  owner = await world.wallet(12n * UNIT, 12n * UNIT)
  id = await world.subscribe(tier, owner)
  await world.workUntil(paid(0))
  await nextPeriod()
})

const paid = (period: number) => async () => {
  const { charge } = await world.facts(id)
  return charge?.charge.periodIndex === period && charge.charge.status === 'succeeded'
}

async function nextPeriod(): Promise<void> {
  const { subscription } = await world.facts(id)
  if (subscription.currentPeriodEnd === null) throw new Error('no period')
  world.sleep(subscription.currentPeriodEnd.getTime() - world.clock.now().getTime() + 1)
}

const tokens = () => world.tools.tokensOf(owner.address, world.mint)
const reasonOf = async () => (await world.facts(id)).charge?.transfer.reason

/** The keys of the charges that were pulled from the wallet, by the memos of its transactions. */
async function pulledKeys(): Promise<readonly string[]> {
  const chain = world.parts.chainOf()
  const { tokenAccount } = (await world.facts(id)).delegation
  const { entries } = await chain.signatures(tokenAccount, {})
  const read = await Promise.all(entries.map(({ signature }) => chain.transaction(signature)))
  const memos = read.flatMap((one) => (one === null || one.error !== null ? [] : one.memos))
  // The wallet's own transactions have other memos.
  return memos.filter((memo) => chargeOfKey(memo) !== null)
}

/** Lets the charge of the second period land and be booked, and then brings the database back to the moment before. */
async function pullAndForget(before: () => Promise<unknown> = async () => {}): Promise<void> {
  await before()
  const forget = await keepRows(world.db)
  await world.workUntil(paid(1))
  await forget()
  expect(await paid(1)()).toBe(false)
  expect(await tokens()).toBe(10n * UNIT)
}

describe.each([
  ['the attempt', () => world.runDue()],
  ['the charge, its transfer and the attempt', async () => {}],
])('a pull is booked to its charge, and not pulled again, when the database lost %s', (_, before) => {
  test('found by the charge', async () => {
    await pullAndForget(before)
    await world.workUntil(paid(1))
    expect(await tokens()).toBe(10n * UNIT)
    const { subscription, delegation, charge } = await world.facts(id)
    expect(subscription).toMatchObject({ status: 'active', spentAmount: 2n * UNIT, nextChargePeriod: 2 })
    expect(delegation).toMatchObject({ chainAllowance: 10n * UNIT, status: 'active' })
    expect(charge?.transfer).toMatchObject({ status: 'done', reason: null })
    const landed = { state: 'final_ok', transfer: { subjectId: charge?.charge.id } } as const
    expect(await world.db.prisma.transferAttempt.count({ where: landed })).toBe(1)
    await nextPeriod()
    await world.workUntil(paid(2))
    expect(await tokens()).toBe(9n * UNIT)
    expect(world.errors).toEqual([])
  })

  test('found by the round over the allowances, before anything is called revoked', async () => {
    await pullAndForget(before)
    await world.checkDelegations()
    expect(await paid(1)()).toBe(true)
    await world.checkDelegations()
    expect((await world.facts(id)).subscription).toMatchObject({ status: 'active', spentAmount: 2n * UNIT })
    expect(await tokens()).toBe(10n * UNIT)
    expect(world.errors).toEqual([])
  })
})

test('a pull whose charge was canceled since is booked to it', async () => {
  await pullAndForget(() => world.runDue())
  await world.decide(id, cancelNow)
  await world.checkDelegations()
  expect((await world.facts(id)).charge?.charge.status).toBe('succeeded')
  expect((await world.facts(id)).subscription).toMatchObject({ status: 'canceled', spentAmount: 2n * UNIT })
  expect(world.errors).toEqual([])
})

test('of two subscriptions of one wallet with the same terms, the found pull pays the one that it names', async () => {
  const { facts } = world
  await world.approve(owner, 23n * UNIT, world.delegate)
  const other = await world.subscribe(tier, owner, (await facts(id)).delegation)
  await world.workUntil(async () => (await facts(other)).charge?.charge.status === 'succeeded' && (await paid(1)()))
  await nextPeriod()
  const forget = await keepRows(world.db)
  await world.workUntil(paid(2))
  await forget()
  await world.checkDelegations()
  expect(await paid(2)()).toBe(true)
  const spent = [id, other].map(async (one) => (await facts(one)).subscription.spentAmount)
  expect((await Promise.all(spent)).reduce((sum, one) => sum + one, 0n)).toBe(12n * UNIT - (await tokens()))
  expect(world.errors).toEqual([])
})

test('after several losses, also of two periods at once, each charge of a wallet was pulled once, and nothing is halted', async () => {
  await world.approve(owner, 30n * UNIT, world.delegate)
  const other = await world.subscribe(tier, owner, (await world.facts(id)).delegation)
  await world.workUntil(
    async () => (await paid(1)()) && (await world.facts(other)).charge?.charge.status === 'succeeded',
  )
  /** The second subscription is a period younger. */
  const all = async (period: number): Promise<boolean> => {
    const { charge } = await world.facts(other)
    const isPaid = charge?.charge.status === 'succeeded' && charge.charge.periodIndex === period - 1
    return isPaid && (await paid(period)())
  }
  for (const periods of [[2], [3, 4]]) {
    await nextPeriod()
    const forget = await keepRows(world.db)
    for (const [at, period] of periods.entries()) {
      if (at > 0) await nextPeriod()
      await world.workUntil(() => all(period))
    }
    await forget()
    await world.workUntil(() => all(periods.at(-1) ?? 0))
  }
  const keys = await pulledKeys()
  expect(keys.toSorted()).toEqual([...new Set(keys)].toSorted())
  expect(keys).toHaveLength(5 + 4)
  expect(await world.db.prisma.halt.findMany({ where: { address: owner.address } })).toEqual([])
  expect(world.errors).toEqual([])
})

test('an allowance that was given again in between hides no pull', async () => {
  await pullAndForget()
  await world.approve(owner, 11n * UNIT + 5n, world.delegate)
  await world.workUntil(paid(1))
  expect(await tokens()).toBe(10n * UNIT)
  expect(world.errors).toEqual([])
})

describe('after a failover, a pull is not hidden by exactly the former allowance, given again', () => {
  beforeEach(async () => {
    await pullAndForget()
    await world.approve(owner, 11n * UNIT, world.delegate)
    world.setLostBefore((await world.present(owner)).slot + 1_500n)
  })

  test('found by the charge', async () => {
    await world.workUntil(paid(1))
    expect(await tokens()).toBe(10n * UNIT)
    await world.checkDelegations()
    const { delegation, subscription } = await world.facts(id)
    expect(delegation).toMatchObject({ chainAllowance: 11n * UNIT, status: 'active' })
    expect(subscription).toMatchObject({ status: 'active', spentAmount: 2n * UNIT })
    await nextPeriod()
    await world.workUntil(paid(2))
    expect(await tokens()).toBe(9n * UNIT)
    expect(world.errors).toEqual([])
  })

  test('found by the round over the allowances, by a reading from after the loss', async () => {
    await world.checkDelegations()
    expect(await paid(1)()).toBe(false)
    world.setLostBefore((await world.present(owner)).slot)
    await world.checkDelegations()
    expect(await paid(1)()).toBe(true)
    await world.workUntil(paid(1))
    expect(await tokens()).toBe(10n * UNIT)
    expect(world.errors).toEqual([])
  })
})

test('after a failover that has lost no pull, each allowance is searched, and charged as before', async () => {
  world.setLostBefore((await world.present(owner)).slot + 1_500n)
  await world.workUntil(paid(1))
  expect(await tokens()).toBe(10n * UNIT)
  expect(world.errors).toEqual([])
})

test('a wrong proof: a pull that landed although it counted as dead is found before the next attempt, and booked', async () => {
  await world.runDue()
  await world.advance()
  const transferId = (await world.facts(id)).charge?.transfer.id ?? ''
  const { signature } = await world.db.prisma.transferAttempt.findFirstOrThrow({ where: { transferId } })
  await world.tools.finalized(makeSignature(signature ?? ''))
  await world.db.prisma.transferAttempt.updateMany({ where: { transferId }, data: { state: 'dead' } })
  await world.workUntil(paid(1))
  expect(await tokens()).toBe(10n * UNIT)
  const attempts = await world.db.prisma.transferAttempt.findMany({ where: { transferId } })
  expect(attempts).toMatchObject([{ signature, state: 'final_ok' }])
  expect(world.errors).toEqual([])
})

test('while the history shows neither a pull nor an act of the owner, nothing is signed and no one is revoked', async () => {
  await pullAndForget()
  world.setHistory({ end: 0n, reached: 2n ** 62n })
  await world.round()
  await world.checkDelegations()
  expect(await reasonOf()).toContain('the history of the token account does not show')
  expect((await world.facts(id)).subscription.status).toBe('active')
  expect(await tokens()).toBe(10n * UNIT)
  world.setHistory(null)
  await world.workUntil(paid(1))
  expect(await tokens()).toBe(10n * UNIT)
  expect(world.errors).toEqual([])
})

test('a history that ends before the reading hides no pull behind another act of the owner', async () => {
  await world.approve(owner, 11n * UNIT, world.delegate)
  const { slot } = await world.present(owner)
  await pullAndForget()
  world.setHistory({ end: slot, reached: slot })
  await world.round()
  await world.checkDelegations()
  expect(await reasonOf()).toContain('the history of the token account does not show')
  expect(await tokens()).toBe(10n * UNIT)
  world.setHistory(null)
  await world.workUntil(paid(1))
  expect(await tokens()).toBe(10n * UNIT)
})

test('a pull that no charge explains is booked, halts the wallet, and nothing more is pulled until the operator clears the halt', async () => {
  const { parts, tools, mint, db } = world
  // More than the subscription needs: the rest covers it without what is taken.
  await world.approve(owner, 20n * UNIT, world.delegate)
  const key = delegateOf(parts, 'live')
  const plan: LegsPlan = {
    kind: 'legs',
    network: 'live',
    source: makeAddress(owner.address),
    authority: key,
    lifetime: await parts.chainOf().lifetime(),
    asset: mint.mint,
    token: { mint: mint.mint, tokenProgram: mint.tokenProgram, decimals: mint.decimals },
    legs: [{ role: 'payout', destination: tier.payoutOwner, amount: units(UNIT), feeBps: null }],
    memo: `charge:${randomUUID()}:3`,
  }
  const { message } = await parts.chainOf().compile(plan)
  const { wire, signature } = await mustSign(parts.signer, plan, message)
  await parts.chainOf().broadcast(wire)
  await tools.finalized(signature)
  await world.checkDelegations()
  const halts = await db.prisma.halt.findMany({ where: { address: owner.address } })
  expect(halts).toMatchObject([{ intentId: null, clearedAt: null, reason: expect.stringContaining(signature) }])
  expect(await db.prisma.ledgerEntry.count({ where: { signature, kind: 'charge' } })).toBe(1)
  await world.round()
  await world.round()
  expect(await reasonOf()).toContain(signature)
  expect(await tokens()).toBe(10n * UNIT)
  await db.prisma.halt.updateMany({
    where: { address: owner.address },
    data: { clearedAt: new Date(), clearedBy: 'operator', clearedReason: 'returned' },
  })
  await world.workUntil(paid(1))
  expect(await tokens()).toBe(9n * UNIT)
  expect(world.errors).toEqual([])
})
