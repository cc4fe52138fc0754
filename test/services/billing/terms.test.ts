// What the operator must put right, and what GET /config shows meanwhile.
import { describe, expect, it, test } from 'vitest'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import type { Address } from '#core/chain/types.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import type { Token } from '#core/tokens/token.ts'
import { createBillingServices } from '#services/billing/billing.ts'
import type { PlatformBillingTerms } from '#services/billing/billing-services.ts'
import { readAllowances } from '#services/billing/read-allowances.ts'
import { createBillingStatus } from '#services/billing/status.ts'
import { BILLING_TERMS, SETTLEMENT_TOKEN } from '../../support/billing-edge.ts'
import { account, STABLECOIN } from '../../support/charge.ts'
import { exampleBillingStatus } from '../../support/example-billing.ts'
import { MINT } from '../../support/example-intent.ts'
import { addressNo, later, NOW } from '../../support/payment.ts'

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
