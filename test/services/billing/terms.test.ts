import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { createApprovalStore } from '#adapters/prisma/billing/approval-store.ts'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import { createOperatorBillingStore } from '#adapters/prisma/billing/operator-billing-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import type { Charge } from '#core/billing/charge.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import type { AccountState, Address } from '#core/chain/types.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import type { Token } from '#core/tokens/token.ts'
import { createBillingServices } from '#services/billing/billing.ts'
import type { PlatformBillingTerms } from '#services/billing/billing-services.ts'
import { createRetryRefilled } from '#services/billing/charging/refill.ts'
import { createRunDue } from '#services/billing/charging/run-due.ts'
import { createOperatorBillingServices } from '#services/billing/operator-billing.ts'
import { readAllowances } from '#services/billing/read-allowances.ts'
import { createBillingStatus } from '#services/billing/status.ts'
import { BILLING_TERMS, SETTLEMENT_TOKEN } from '../../support/billing-edge.ts'
import {
  addDelegation,
  addSubscriptionIntent,
  addTier,
  changeOf,
  DELEGATE,
  newSubscription,
} from '../../support/billing-rows.ts'
import { account, DELEGATE as OF_CHARGES, STABLECOIN, WALLET } from '../../support/charge.ts'
import { describeOnBothEngines, emptyTables } from '../../support/database.ts'
import { exampleBillingStatus } from '../../support/example-billing.ts'
import { MINT } from '../../support/example-intent.ts'
import { only } from '../../support/only.ts'
import { addressNo, later, NOW, units } from '../../support/payment.ts'
import { addBusiness } from '../../support/stores.ts'

// What the operator must put right, and what GET /config shows meanwhile.
describe('terms', () => {
  const notAsked = (): never => {
    throw new Error('not asked here')
  }

  const services = (
    token: Token | null,
    terms: Partial<PlatformBillingTerms> | null = {},
    mintProblem: string | null = null,
  ) =>
    createBillingServices({
      accounts: { findMarketplace: notAsked, findSeller: notAsked },
      directory: { tokens: async () => new Map(token === null ? [] : [[token.asset, token]]) },
      mintGuard: { problemOf: async () => mintProblem },
      clock: { now: notAsked },
      genesisHash: MAINNET_GENESIS_HASH,
      billingTerms: terms === null ? null : { ...BILLING_TERMS, ...terms },
    })

  it('nothing is wrong with a mint of the allowlist, and with recurring billing that is disabled', async () => {
    expect(await services(SETTLEMENT_TOKEN).problems()).toEqual([])
    expect(await services(null, null).problems()).toEqual([])
    expect(await services(null, null).facts()).toBeNull()
  })

  it('a mint that cannot be used is named with its reason and what to do', async () => {
    const [problem, ...more] = await services(SETTLEMENT_TOKEN, {}, 'takes a transfer fee').problems()
    expect(more).toEqual([])
    expect(problem).toMatch(new RegExp(`${MINT} takes a transfer fee.*SUBSCRIPTION_MINT`))
  })

  it('a fee without a wallet is a problem; a fee with a wallet is none', async () => {
    const platformFeeBps = makeBasisPoints(1)
    expect(await services(SETTLEMENT_TOKEN, { platformFeeBps }).problems()).toEqual([
      expect.stringContaining('PLATFORM_WALLET'),
    ])
    expect(await services(SETTLEMENT_TOKEN, { platformFeeBps, platformWallet: addressNo(1) }).problems()).toEqual([])
  })

  it('program and decimals of the mint are shown while it is on the allowlist', async () => {
    const { tokenProgram, decimals } = SETTLEMENT_TOKEN
    expect(await services(SETTLEMENT_TOKEN).facts()).toMatchObject({ mint: MINT, tokenProgram, decimals })
    for (const token of [null, { ...SETTLEMENT_TOKEN, enabled: false }])
      expect(await services(token).facts()).toMatchObject({ mint: MINT, tokenProgram: null, decimals: null })
  })
})

// The state of recurring billing, as `operator status` shows it.
describe('status', () => {
  const { sponsorBudget, sponsorSpent, businessBudget, costliest, delegate } = exampleBillingStatus
  const asked: unknown[] = []
  const deps: Parameters<typeof createBillingStatus>[0] = {
    billingTerms: BILLING_TERMS,
    budgets: { sponsorLamportsPerDay: sponsorBudget, sponsorLamportsPerBusiness: businessBudget },
    operatorBilling: {
      overview: async () => ({
        ...exampleBillingStatus,
        oldest: { subscriptionId: 'late', since: later(-90), reason: null },
      }),
      async costliest(...given) {
        asked.push(given)
        return costliest
      },
    },
    approvals: {
      async spentSince(...given) {
        asked.push(given)
        return sponsorSpent
      },
    },
    keys: { addressOf: () => delegate },
    problems: async () => ['No tier can be created.'],
    clock: { now: () => NOW },
  }

  test('the status has the spending of 24 hours, its budget, and how long the oldest charge has waited', async () => {
    expect(await createBillingStatus(deps)()).toMatchObject({
      mint: BILLING_TERMS.mint,
      problems: ['No tier can be created.'],
      delegate,
      oldestForMs: 90_000,
      sponsorSpent,
      sponsorBudget,
      costliest,
      businessBudget,
    })
    expect(asked).toEqual([
      ['live', later(-86_400)],
      ['live', later(-86_400)],
    ])
    const overview = async () => ({ ...exampleBillingStatus, oldest: null })
    expect(
      await createBillingStatus({ ...deps, operatorBilling: { ...deps.operatorBilling, overview } })(),
    ).toMatchObject({ oldestForMs: null })
    expect(await createBillingStatus({ ...deps, billingTerms: null })()).toBeNull()
  })
})

// Token accounts of subscribers are read 100 a call.
describe('read allowances', () => {
  test('250 delegations are three calls, and each reading has the slot of its call and its place', async () => {
    const calls: (readonly Address[])[] = []
    const wallets = Array.from({ length: 250 }, (_, n) => addressNo(20_000 + n))
    const delegations = wallets.map((wallet, n) => ({ wallet, mint: STABLECOIN, tokenAccount: addressNo(30_000 + n) }))
    const places = new Map(delegations.map(({ tokenAccount }, n) => [tokenAccount, n]))
    const readings = await readAllowances(
      {
        async readAccounts(accounts) {
          calls.push(accounts)
          const first = places.get(accounts[0] ?? addressNo(1)) ?? 0
          const states = accounts.map((one) => {
            const n = places.get(one) ?? 0
            return n === 7 ? null : account(wallets[n] ?? addressNo(1), { allowance: BigInt(n) })
          })
          return { slot: BigInt(first), states }
        },
      },
      delegations,
    )
    expect(calls.map(({ length }) => length).toSorted((a, b) => b - a)).toEqual([100, 100, 50])
    expect(readings).toHaveLength(250)
    expect(readings[7]).toEqual({ slot: 0n, state: { is: 'missing' } })
    expect(readings[203]).toMatchObject({ slot: 200n, state: { is: 'open', delegated: 203n } })
  })
})

// The operator reads subscriptions and charges of all businesses, and has a failed charge tried again.
describeOnBothEngines('the operator of recurring billing', (open) => {
  const ALL = { status: null, accountId: null, wallet: null, limit: 20 }
  const ALL_CHARGES = { ...ALL, subscriptionId: null }

  let db: Database
  beforeAll(async () => {
    db = await open()
  })
  beforeEach(() => emptyTables(db, 'accounts', 'transfers', 'delegations'))

  const services = () =>
    createOperatorBillingServices({
      billing: createBillingStore(db),
      operatorBilling: createOperatorBillingStore(db),
      approvals: createApprovalStore(db),
      keys: createDepositKeys(new Uint8Array(64).fill(7)),
      clock: { now: () => NOW },
      random: { uuid: () => randomUUID() },
    })

  /** Adds a subscription of the wallet to another business, with its first charge. */
  async function add(wallet: Address, patch: Partial<Charge> = {}, delegate = DELEGATE.address) {
    const tier = await addTier(db, await addBusiness(db))
    const delegation = await addDelegation(db, tier, { wallet })
    const { subscription, charge, transfer } = newSubscription(tier, await addSubscriptionIntent(db, tier), delegation)
    const change = {
      ...changeOf(null, subscription),
      charges: [charge],
      transfers: [{ ...transfer, authority: { ...DELEGATE, address: delegate } }],
    }
    if (!(await createBillingStore(db).apply(change, delegation))) throw new Error('not stored')
    if (patch.status === 'failed') {
      const failed = { status: 'failed', reason: 'The account is frozen.' } as const
      await db.prisma.transfer.updateMany({ where: { subjectId: charge.id }, data: failed })
      const { status, failureCode = null, nextAttemptAt = null } = patch
      await db.prisma.charge.update({ where: { id: charge.id }, data: { status, failureCode, nextAttemptAt } })
    }
    return { subscription, charge }
  }
  const statusOf = async (chargeId: string) =>
    (await db.prisma.transfer.findFirstOrThrow({ where: { subjectId: chargeId } })).status

  it('lists what matches every filter, across businesses', async () => {
    const [mine, other] = [await add(addressNo(1)), await add(addressNo(2), { status: 'failed' })]
    const { subscriptions, charges } = services()
    const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id).sort()
    expect(idsOf(await subscriptions(ALL))).toEqual(idsOf([mine.subscription, other.subscription]))
    expect(idsOf(await subscriptions({ ...ALL, wallet: addressNo(2) }))).toEqual([other.subscription.id])
    expect(idsOf(await subscriptions({ ...ALL, accountId: mine.subscription.accountId }))).toEqual([
      mine.subscription.id,
    ])
    expect(await subscriptions({ ...ALL, status: 'past_due' })).toEqual([])
    expect(await subscriptions({ ...ALL, limit: 1 })).toHaveLength(1)
    expect(idsOf(await charges(ALL_CHARGES))).toEqual(idsOf([mine.charge, other.charge]))
    expect(idsOf(await charges({ ...ALL_CHARGES, wallet: addressNo(1) }))).toEqual([mine.charge.id])
    expect(idsOf(await charges({ ...ALL_CHARGES, accountId: mine.charge.accountId }))).toEqual([mine.charge.id])
    expect(idsOf(await charges({ ...ALL_CHARGES, subscriptionId: other.subscription.id }))).toEqual([other.charge.id])
    expect(await charges({ ...ALL_CHARGES, status: 'failed' })).toEqual([
      expect.objectContaining({ id: other.charge.id, wallet: addressNo(2), reason: 'The account is frozen.' }),
    ])
  })

  it('says that an id is of no subscription and no charge', async () => {
    for (const id of [randomUUID(), 'no-id']) {
      await expect(services().subscription(id)).rejects.toMatchObject({ code: 'subscription_not_found' })
      await expect(services().charge(id)).rejects.toMatchObject({ code: 'charge_not_found' })
      await expect(services().retryCharge(id)).rejects.toMatchObject({ code: 'charge_not_found' })
    }
  })

  it('plans a failed charge again, once', async () => {
    const waiting = { status: 'failed', failureCode: 'destination_unavailable', nextAttemptAt: later(3_600) } as const
    const { charge } = await add(addressNo(1), waiting)
    const [first, second] = await Promise.allSettled([
      services().retryCharge(charge.id),
      services().retryCharge(charge.id),
    ])
    const outcomes = [first, second].map(({ status }) => status).sort()
    expect(outcomes).toEqual(['fulfilled', 'rejected'])
    expect(await statusOf(charge.id)).toBe('planned')
    expect(await services().charge(charge.id)).toMatchObject({ status: 'pending', nextAttemptAt: NOW })
    await expect(services().retryCharge(charge.id)).rejects.toMatchObject({ code: 'charge_in_progress' })
  })

  it('leaves a charge that needs a new approval as it is', async () => {
    const { charge } = await add(addressNo(1), { status: 'failed', failureCode: 'delegate_revoked' })
    await expect(services().retryCharge(charge.id)).rejects.toMatchObject({ code: 'charge_not_retryable' })
    expect(await statusOf(charge.id)).toBe('failed')
  })

  const overview = (now = NOW) => createOperatorBillingStore(db).overview('live', { now, delegate: DELEGATE.address })

  it('counts subscriptions and allowances by status, and the charges that are due or in flight', async () => {
    const [first] = [await add(addressNo(1)), await add(addressNo(2))]
    await db.prisma.charge.update({ where: { id: first.charge.id }, data: { status: 'submitted' } })
    expect(await overview()).toMatchObject({
      subscriptions: [{ status: 'incomplete', count: 2 }],
      delegations: [{ status: 'active', count: 2 }],
      due: 1,
      inFlight: 1,
      oldest: { since: NOW },
    })
    expect(await overview(later(-1))).toMatchObject({ due: 0, oldest: null })
  })

  it('counts a period that is due before its charge is planned, and no charge that waits for its next try', async () => {
    const { subscription, charge } = await add(addressNo(1), { status: 'failed', nextAttemptAt: later(60) })
    expect(await overview()).toMatchObject({ due: 0, oldest: null })
    await db.prisma.charge.update({ where: { id: charge.id }, data: { status: 'succeeded' } })
    const due = { dueAt: later(-120), nextChargeAt: later(-120) }
    await db.prisma.billingSubscription.update({ where: { id: subscription.id }, data: due })
    expect(await overview()).toMatchObject({
      due: 1,
      oldest: { subscriptionId: subscription.id, since: later(-120), reason: null },
    })
  })

  it('counts no charge that waits because its business is disabled, unless it is in flight', async () => {
    const [planned, due] = [await add(addressNo(1)), await add(addressNo(2), { status: 'succeeded' })]
    const inPast = { dueAt: later(-120), nextChargeAt: later(-120) }
    await db.prisma.billingSubscription.update({ where: { id: due.subscription.id }, data: inPast })
    expect(await overview()).toMatchObject({ due: 2 })
    await db.prisma.account.updateMany({ data: { disabledAt: NOW } })
    expect(await overview()).toMatchObject({ due: 0, oldest: null })
    await db.prisma.charge.update({ where: { id: planned.charge.id }, data: { status: 'submitted' } })
    expect(await overview()).toMatchObject({ due: 0, oldest: { subscriptionId: planned.subscription.id } })
    await db.prisma.account.updateMany({ data: { disabledAt: null } })
  })

  it('shows what stops charges: a receiver, the service, its signer, or another delegate key', async () => {
    await add(addressNo(1), { status: 'failed', failureCode: 'destination_unavailable' })
    const { charge } = await add(addressNo(2), { status: 'failed', failureCode: 'platform_error' })
    expect(await overview()).toMatchObject({ unpayable: 1, broken: 1, key: { unsigned: 0, otherKeys: 0 } })
    const { id: transferId } = await db.prisma.transfer.findFirstOrThrow({ where: { subjectId: charge.id } })
    const attempt = { number: 1, state: 'dead', source: addressNo(2), message: Buffer.from([1]), fence: 1 } as const
    await db.prisma.transferAttempt.create({
      data: { ...attempt, transferId, blockhash: 'hash', lastValidBlockHeight: 1, knownSignature: 'known' },
    })
    expect(await overview()).toMatchObject({ broken: 1, key: { unsigned: 1 } })
    await add(addressNo(3), {}, addressNo(99))
    expect(await overview()).toMatchObject({ key: { otherKeys: 1 } })
    const where = { wallet: addressNo(2) }
    await db.prisma.delegation.updateMany({ data: { chainDelegate: DELEGATE.address } })
    await db.prisma.delegation.updateMany({ where, data: { chainDelegate: addressNo(99) } })
    expect(await overview()).toMatchObject({ key: { ownDelegations: 2, otherDelegations: 1 } })
  })

  it('finds charges of the last week whose transfer is done with a reason: they moved another amount', async () => {
    const [older, newest, right, old] = [
      await add(addressNo(1)),
      await add(addressNo(2)),
      await add(addressNo(3)),
      await add(addressNo(4)),
    ]
    const end = ({ charge }: typeof older, reason: string | null, seconds: number) =>
      db.prisma.transfer.updateMany({
        where: { subjectId: charge.id },
        data: { status: 'done', reason, doneAt: later(seconds) },
      })
    await end(older, 'Another amount.', -120)
    await end(newest, 'Another amount.', -60)
    await end(right, null, -1)
    await end(old, 'Another amount.', -7 * 86_400)
    expect(await overview()).toMatchObject({ differing: { count: 2, newest: newest.charge.id } })
  })
})

// When a round of the job looks at the clock of the chain: a charge is planned as soon as that has reached its period.
describe('a round', () => {
  describe('run due', () => {
    type Deps = Parameters<typeof createRunDue>[0]

    const OWN = new Date('2026-11-20T12:00:00.500Z')
    const DUE_AT = new Date('2026-11-20T12:00:00.000Z')
    const behind = (ms: number): Date => new Date(OWN.getTime() - ms)

    /** Runs a round. `times` are those of the chain, the last one for all later looks. Returns what was asked. */
    async function run(times: readonly Date[]) {
      const asked: string[] = []
      const left = [...times]
      const deps: Deps = {
        billing: only<Deps['billing']>('billing', {
          async due(_network, now) {
            asked.push(`due ${now.toISOString().slice(17, 23)}`)
            return now >= DUE_AT ? ['subscription'] : []
          },
          async facts() {
            asked.push('decided')
            return null
          },
        }),
        chainOf: () => ({
          async blockTime() {
            return { slot: 1n, time: (left.length > 1 ? left.shift() : left[0]) ?? OWN }
          },
        }),
        async sleep(ms) {
          asked.push(`sleep ${ms}`)
        },
        clock: { now: () => OWN },
        random: { uuid: () => crypto.randomUUID() },
        keys: only<Deps['keys']>('keys', {}),
        onError: (error) => void asked.push(String(error)),
      }
      await createRunDue(deps)('live')
      return asked
    }

    test('a round looks again while the clock of the chain is about to reach what is due', async () => {
      expect(await run([behind(1_500), behind(1_500), behind(500)])).toEqual([
        'due 00.500',
        'due 59.000',
        'sleep 100',
        'due 59.000',
        'sleep 100',
        'due 00.000',
        'decided',
      ])
    })

    test('a round does not wait for a chain that is far behind, or that stands still', async () => {
      expect(await run([behind(3_001)])).toEqual(['due 00.500', 'due 57.499'])
      const looks = await run([behind(1_500)])
      expect(looks.filter((one) => one === 'sleep 100')).toHaveLength(15)
      expect(looks).not.toContain('decided')
    })
  })

  // Which past-due subscriptions a round over their token accounts charges again.
  describe('refill', () => {
    type Deps = Parameters<typeof createRetryRefilled>[0]

    /** Runs a round over one subscription. Returns whether it was decided on. */
    async function isTried(amount: bigint, state: AccountState): Promise<boolean> {
      const tried: string[] = []
      const pastDue = {
        subscriptionId: 'subscription',
        wallet: WALLET,
        mint: STABLECOIN,
        tokenAccount: addressNo(820),
        amount: units(amount),
      }
      const deps: Deps = {
        billing: only<Deps['billing']>('billing', {
          pastDue: async () => [pastDue],
          async facts(id) {
            tried.push(id)
            return null
          },
        }),
        chainOf: () => ({ readAccounts: async () => ({ slot: 1n, states: [state] }) }),
        clock: { now: () => NOW },
        random: { uuid: () => crypto.randomUUID() },
        keys: only<Deps['keys']>('keys', { addressOf: () => OF_CHARGES.address }),
        onError(error) {
          throw error
        },
      }
      await createRetryRefilled(deps)('live')
      return tried.length > 0
    }

    test('a refill counts when it covers the amount of the charge', async () => {
      const holds = (amount: bigint) => account(WALLET, { amount })
      expect(await isTried(1_000n, holds(999n))).toBe(false)
      expect(await isTried(1_000n, holds(1_000n))).toBe(true)
    })
  })
})
