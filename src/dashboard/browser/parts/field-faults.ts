// Which field of a form is to blame for a refusal, and what it takes.
import type { Fault } from '#dashboard/browser/fault.ts'
import { reasonIn, type Words } from '#dashboard/browser/say.tsx'
import type { TextKey } from '#dashboard/texts/texts.ts'

/** The fields of refusals that name none, because their code does. */
const FIELDS: Readonly<Record<string, string>> = {
  invalid_accepted_tokens: 'acceptedAssets',
  token_not_accepted_on_platform: 'acceptedAssets',
  price_not_expressible: 'amountUsdCents',
  invalid_price: 'priceUsdCents',
  tier_price_above_ceiling: 'priceUsdCents',
  authorization_total_too_large: 'authorizationPeriods',
  invalid_authorization_periods: 'authorizationPeriods',
  invalid_trial_days: 'trialDays',
  invalid_interval_count: 'intervalCount',
  invalid_name: 'name',
  invalid_description: 'description',
  invalid_host: 'host',
  reverse_fee_without_seller: 'reverseFee',
  coupon_exists: 'code',
}

/** What a field takes, where the refusal says only that it is not valid. */
const RULES: Readonly<Record<string, TextKey>> = {
  amountUsdCents: 'amountRule',
  priceUsdCents: 'amountRule',
  acceptedAssets: 'chooseOne',
  scopes: 'chooseOne',
  name: 'nameRule',
  label: 'nameRule',
  reference: 'textRule',
  reason: 'textRule',
  description: 'textRule',
  externalId: 'textRule',
  sells: 'textRule',
  expectedVolume: 'textRule',
  url: 'endpointRule',
  supportUrl: 'pageRule',
  website: 'pageRule',
  supportEmail: 'invalid_email',
  email: 'invalid_email',
  accentColor: 'colorRule',
  wallet: 'invalid_address',
  to: 'invalid_address',
  asset: 'mintRule',
  sweepDestination: 'invalid_address',
  feeWallet: 'invalid_address',
  marketplaceFeeBps: 'feeRule',
  defaultFeeBps: 'feeRule',
  underpaymentToleranceBps: 'toleranceRule',
}

/** Returns the name of the field that is to blame; null when none is known. */
export function fieldOf({ code, details }: Fault): string | null {
  const named = details?.field
  return typeof named === 'string' && /^\w+$/.test(named) ? named : (FIELDS[code] ?? null)
}

/** Returns what is wrong with the field that is to blame. */
export function ruleIn(words: Pick<Words, 'say'>, fault: Fault): string {
  const rule = fault.code === 'invalid_request' ? RULES[fieldOf(fault) ?? ''] : undefined
  return rule === undefined ? reasonIn(words, fault) : words.say(rule)
}
