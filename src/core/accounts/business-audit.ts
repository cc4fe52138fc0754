// What the audit log says of a changed business.
import type { Account } from '#core/accounts/account.ts'
import { type BusinessAction, changesBetween, type Fields, type NewAuditEntry } from '#core/accounts/audit.ts'
import { imagePath } from '#core/images/image.ts'

const PROFILE = ({ name, label, brand, defaults }: Account): Fields => ({
  name,
  label,
  // A path, because the public address can change and an entry cannot.
  logo_url: brand.logoName && imagePath(brand.logoName),
  accent_color: brand.accentColor,
  support_url: brand.supportUrl,
  support_email: brand.supportEmail,
  accepted_tokens: [...defaults.acceptedAssets],
  success_url: defaults.successUrl,
  cancel_url: defaults.cancelUrl,
  underpayment_tolerance_bps: defaults.underpaymentToleranceBps,
})
const PAYOUT = ({ sweepDestination }: Account): Fields => ({ sweep_destination: sweepDestination })

const DIMENSIONS: readonly (readonly [BusinessAction, (account: Account) => Fields])[] = [
  ['business.updated', PROFILE],
  ['business.payout_changed', PAYOUT],
]

/** Returns an entry for what buyers see of a business, and one for its payout wallet, where these changed. */
export const businessEntries = (before: Account, after: Account): readonly NewAuditEntry[] =>
  DIMENSIONS.flatMap(([action, fieldsOf]) => {
    const changes = changesBetween(fieldsOf(before), fieldsOf(after))
    return Object.keys(changes).length === 0 ? [] : [{ action, sellerId: null, changes }]
  })
