// What the operator must put right, and what GET /config shows meanwhile.
import { expect, it } from 'vitest'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import type { Token } from '#core/tokens/token.ts'
import { createBillingServices } from '#services/billing/billing.ts'
import type { PlatformBillingTerms } from '#services/billing/billing-services.ts'
import { BILLING_TERMS, SETTLEMENT_TOKEN } from '../../support/billing-edge.ts'
import { MINT } from '../../support/example-intent.ts'
import { addressNo } from '../../support/payment.ts'

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
