// The details of the buyer that were collected. Spec: "customer / customer_details sub-shape", POST /intents/details.

import type { CustomerDetails, PostalAddress } from '#core/payments/intent-values.ts'
import type { IntentStatus } from '#core/payments/payment-intent.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'

type Clearable<T> = { readonly [Field in keyof T]?: T[Field] | null }

/** A field that was sent overwrites, one that was left out is untouched, null clears. */
export type CustomerPatch = Clearable<Omit<CustomerDetails, 'address'>> & {
  readonly address?: Clearable<PostalAddress> | null
}

export type DetailsRefusal = 'invalid_email' | 'invalid_country'

const MAX_EMAIL_LENGTH = 254
// A dot-atom and a domain of two labels or more, in any script (RFC 5322, 3.2.3 and RFC 6532). Quoted names and addresses in
// brackets are refused. Only a message to the address can show whether it works.
const ATOM = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+$/u
const DOMAIN_LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u

export function isEmail(text: string): boolean {
  const [local = '', domain = '', ...more] = text.split('@')
  const labels = domain.split('.')
  return (
    more.length === 0 &&
    text.length <= MAX_EMAIL_LENGTH &&
    local.split('.').every((atom) => ATOM.test(atom)) &&
    labels.length >= 2 &&
    labels.every((label) => DOMAIN_LABEL.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  )
}

/** Returns the error of the fields that were sent; null when they are valid. */
export function judgeCustomerPatch(patch: CustomerPatch): DetailsRefusal | null {
  if (typeof patch.email === 'string' && !isEmail(patch.email)) return 'invalid_email'
  const country = patch.address?.country
  return typeof country === 'string' && !COUNTRY_CODES.has(country) ? 'invalid_country' : null
}

function overwrite<T extends object>(stored: T, sent: Clearable<T>): Partial<T> {
  const merged: Partial<T> = { ...stored, ...sent }
  for (const field in merged) if (merged[field] === null || merged[field] === undefined) delete merged[field]
  return merged
}

/** Returns the details after a patch; `{}` when nothing is left. */
export function applyCustomerPatch(stored: CustomerDetails | null, patch: CustomerPatch): CustomerDetails {
  const { address: storedAddress = {}, ...storedFields } = stored ?? {}
  const { address: sentAddress, ...sentFields } = patch
  const address = sentAddress === null ? {} : overwrite(storedAddress, sentAddress ?? {})
  return { ...overwrite(storedFields, sentFields), ...(Object.keys(address).length > 0 && { address }) }
}

/** Returns the details as they are shown: null when nothing was collected, or everything was cleared. */
export const collected = (details: CustomerDetails | null): CustomerDetails | null =>
  details === null || Object.keys(details).length === 0 ? null : details

export const acceptsDetails = (status: IntentStatus): boolean => STATUS_POLICY[status].acceptsDetails

const CODES =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC ' +
  'CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD ' +
  'GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH ' +
  'KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW ' +
  'MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC ' +
  'SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY ' +
  'UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'

export const COUNTRY_CODES: ReadonlySet<string> = new Set(CODES.split(' '))
