// The terms of recurring billing, as GET /config shows them.
import { EXPIRES_IN } from '#core/billing/subscription-intent.ts'
import { DEFAULT_AUTHORIZATION_PERIODS, INTERVAL_LIMITS, MAX_TRIAL_DAYS } from '#core/billing/tier.ts'
import { builder } from '#graphql/builder.ts'
import type { PlatformBillingFacts } from '#services/billing/billing-services.ts'

const IntervalLimits = builder.objectRef<typeof INTERVAL_LIMITS>('SubscriptionIntervalLimits').implement({
  description: 'The largest `intervalCount` of a tier, by its interval.',
  fields: (t) => ({
    day: t.exposeInt('day', { description: 'The most days.' }),
    week: t.exposeInt('week', { description: 'The most weeks.' }),
    month: t.exposeInt('month', { description: 'The most months.' }),
    year: t.exposeInt('year', { description: 'The most years.' }),
  }),
})

const ExpiresIn = builder.objectRef<typeof EXPIRES_IN>('SubscriptionIntentExpiresIn').implement({
  description: 'How long a checkout can be open, in seconds.',
  fields: (t) => ({
    default: t.exposeInt('default', { description: 'When the create leaves it out.' }),
    min: t.exposeInt('min', { description: 'At least.' }),
    max: t.exposeInt('max', { description: 'At most.' }),
  }),
})

export const SubscriptionLimits = builder.objectRef<PlatformBillingFacts>('SubscriptionLimits').implement({
  description: 'The terms and limits of recurring billing.',
  fields: (t) => ({
    mint: t.expose('mint', { type: 'Mint', description: 'The stablecoin in which subscriptions are charged.' }),
    tokenProgram: t.expose('tokenProgram', {
      type: 'SolanaAddress',
      nullable: true,
      description: 'The token program of the mint. Null while the mint is not on the allowlist.',
    }),
    decimals: t.exposeInt('decimals', {
      nullable: true,
      description: 'The decimals of the mint. Null while the mint is not on the allowlist.',
    }),
    minPriceUsdCents: t.expose('minPriceUsdCents', {
      type: 'UsdCents',
      description: 'The lowest price of a tier for one period.',
    }),
    maxPriceUsdCents: t.expose('maxPriceUsdCents', {
      type: 'UsdCents',
      description: 'The highest price of a tier for one period.',
    }),
    platformFeeBps: t.exposeInt('platformFeeBps', {
      description: 'The fee of the platform on charges, in basis points. Each tier keeps the rate of its creation.',
    }),
    defaultAuthorizationPeriods: t.int({
      description: 'The periods that a subscriber authorizes when the tier leaves it out.',
      resolve: () => DEFAULT_AUTHORIZATION_PERIODS,
    }),
    maxTrialDays: t.int({
      description: 'The largest `trialDays` of a tier.',
      resolve: () => MAX_TRIAL_DAYS,
    }),
    intervalLimits: t.field({
      type: IntervalLimits,
      description: 'The largest `intervalCount` of a tier.',
      resolve: () => INTERVAL_LIMITS,
    }),
    intentExpiresIn: t.field({
      type: ExpiresIn,
      description: 'How long a checkout can be open, in seconds.',
      resolve: () => EXPIRES_IN,
    }),
    subscriptionsPerWallet: t.exposeInt('subscriptionsPerWallet', {
      description: 'The live subscriptions that one wallet may have.',
    }),
  }),
})
