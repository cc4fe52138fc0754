// Settings of recurring billing: docs/billing.md.
import { z } from 'zod'
import { isPublicKey } from '#core/chain/public-key.ts'
import type { Address } from '#core/chain/types.ts'
import { type BasisPoints, type Lamports, makeLamports, makeUsdCents, type UsdCents } from '#core/money/amounts.ts'
import {
  bpsSetting,
  ConfigError,
  flagSetting,
  integer,
  integerSetting,
  setting,
  usefulBudgetSetting,
  type Values,
} from './setting.ts'

/** An approve costs two signature fees and a priority fee, and the checkouts of one business may use three eighths of the budget. */
const MIN_SPONSOR_BUDGET = 40_000

const priceSetting = () =>
  setting(integer(1, 1_000_000_000_000).transform(makeUsdCents), 'US cents: an integer from 1 to 1000000000000')

export const SUBSCRIPTION_SETTINGS = {
  SUBSCRIPTIONS: flagSetting(),
  SUBSCRIPTION_MINT: setting(z.string().refine(isPublicKey), 'the mint address of a stablecoin'),
  SUBSCRIPTION_MIN_PRICE_USD_CENTS: priceSetting(),
  SUBSCRIPTION_MAX_PRICE_USD_CENTS: priceSetting(),
  // A business always receives a part of a charge.
  SUBSCRIPTION_FEE_BPS: bpsSetting(9_999),
  SUBSCRIPTIONS_PER_WALLET: integerSetting(1, 1_000),
  SPONSOR_LAMPORTS_PER_DAY: usefulBudgetSetting('approvals', MIN_SPONSOR_BUDGET),
  SPONSOR_LAMPORTS_PER_BUSINESS: usefulBudgetSetting('charges', MIN_SPONSOR_BUDGET),
}

export type SubscriptionsConfig = {
  /** The mint of the settlement stablecoin on the live network; null is the Demo Dollar of the embedded chain. */
  readonly mint: Address | null
  /** The lowest and the highest price of a tier for one period. */
  readonly minPriceUsdCents: UsdCents
  readonly maxPriceUsdCents: UsdCents
  /** The platform fee on charges. Each tier keeps the rate that it was created with. */
  readonly platformFeeBps: BasisPoints
  /** Live subscriptions of one wallet. */
  readonly perWallet: number
  /** The most that the fee payer spends in a day on transactions that subscribers sign. */
  readonly sponsorLamportsPerDay: Lamports
  /** The most that the subscriptions of one business cost the fee payer in a day: their charges, and what subscribers sign. */
  readonly sponsorLamportsPerBusiness: Lamports
}

/** Returns null when recurring billing is off. Throws ConfigError when it is on without a mint on a real network. */
export function subscriptionsOf(
  settings: Values<typeof SUBSCRIPTION_SETTINGS>,
  { embedded, platformFeeBps }: { embedded: boolean; platformFeeBps: BasisPoints },
): SubscriptionsConfig | null {
  if (!(settings.SUBSCRIPTIONS ?? embedded)) return null
  const mint = settings.SUBSCRIPTION_MINT ?? null
  if (!embedded && mint === null)
    throw new ConfigError(
      'SUBSCRIPTION_MINT: is missing, and SUBSCRIPTIONS is on; write the mint address of a stablecoin',
    )
  const minPriceUsdCents = settings.SUBSCRIPTION_MIN_PRICE_USD_CENTS ?? makeUsdCents(10)
  const maxPriceUsdCents = settings.SUBSCRIPTION_MAX_PRICE_USD_CENTS ?? makeUsdCents(1_000_000)
  if (minPriceUsdCents > maxPriceUsdCents)
    throw new ConfigError(
      `SUBSCRIPTION_MIN_PRICE_USD_CENTS: ${minPriceUsdCents} is above the highest price of a tier; ` +
        `write at most ${maxPriceUsdCents}, or raise SUBSCRIPTION_MAX_PRICE_USD_CENTS`,
    )
  return {
    mint,
    minPriceUsdCents,
    maxPriceUsdCents,
    platformFeeBps: settings.SUBSCRIPTION_FEE_BPS ?? platformFeeBps,
    perWallet: settings.SUBSCRIPTIONS_PER_WALLET ?? 50,
    sponsorLamportsPerDay: settings.SPONSOR_LAMPORTS_PER_DAY ?? makeLamports(100_000_000),
    sponsorLamportsPerBusiness: settings.SPONSOR_LAMPORTS_PER_BUSINESS ?? makeLamports(500_000_000),
  }
}
