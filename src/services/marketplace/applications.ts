// Applications for a marketplace: a business applies, and the operator approves (`approve`) or refuses with a reason.
import type { Account } from '#core/accounts/account.ts'
import type { Actor } from '#core/accounts/audit.ts'
import { readRedirect } from '#core/billing/host.ts'
import { ServiceError } from '#core/errors.ts'
import type { Application, ApplicationText } from '#core/marketplace/application.ts'
import { cleanedText, isBlank, isShortText, MAX_TEXT } from '#core/text.ts'
import type { Clock } from '#ports/clock.ts'
import type { ApplicationStore } from '#ports/marketplaces.ts'
import type { MarketplaceCaller } from '#services/marketplace/marketplace-services.ts'
import { isUuid, readReason } from '#services/requests.ts'

export type ApplicationServices = {
  /**
   * Applies, or replaces an application that waits or was refused. Throws `invalid_request`, and `already_marketplace` for a
   * business that has the capability, be it revoked.
   */
  apply(caller: MarketplaceCaller, text: ApplicationText): Promise<Application>
  /** Returns the last application of a business. */
  find(accountId: string): Promise<Application | null>
  /** For the operator: the applications, those that have waited longest first. */
  list(filter: { readonly isPending: boolean; readonly limit: number }): Promise<readonly Application[]>
  /** For the operator. Throws `invalid_request` without a reason, and `no_application` when none waits. */
  refuse(accountId: Account['id'], reason: string, actor: Actor): Promise<Application>
}

export type ApplicationDeps = {
  readonly applications: ApplicationStore
  readonly clock: Clock
}

export const createApplicationServices = ({ applications, clock }: ApplicationDeps): ApplicationServices => ({
  async apply({ tenant: { accountId }, actor }, given) {
    const website = readRedirect(given.website.trim())?.href
    if (website === undefined) throw invalid('website', 'must be an https URL without a port')
    const text = {
      website,
      sells: readText('sells', given.sells),
      expectedVolume: readText('expectedVolume', given.expectedVolume),
    }
    const { expectedVolume, ...changed } = text
    const changes = { ...changed, expected_volume: expectedVolume }
    const applied = await applications.apply(
      { accountId, ...text },
      { actor, at: clock.now() },
      {
        action: 'business.applied',
        sellerId: null,
        changes: Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, [null, value]])),
      },
    )
    if (applied === null) throw new ServiceError('already_marketplace')
    return applied
  },

  find: (accountId) => applications.find(accountId),
  list: (filter) => applications.list(filter),

  async refuse(accountId, given, actor) {
    const reason = readReason(given)
    const by = { actor, at: clock.now() }
    const refused = !isUuid(accountId)
      ? null
      : await applications.refuse(accountId, reason, by, {
          action: 'business.application_refused',
          sellerId: null,
          changes: { reason: [null, reason] },
        })
    if (refused === null) throw new ServiceError('no_application')
    return refused
  },
})

function readText(field: string, given: string): string {
  const text = cleanedText(given).trim()
  if (isBlank(text)) throw invalid(field, 'must not be blank')
  if (!isShortText(text)) throw invalid(field, `must have at most ${MAX_TEXT} characters`)
  return text
}

const invalid = (field: string, rule: string) => new ServiceError('invalid_request', { field, rule })
