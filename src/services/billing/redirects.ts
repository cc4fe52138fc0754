// Where a checkout may send its buyer: to the active redirect domains of the business.
import type { Tenant } from '#core/accounts/account.ts'
import type { Redirect } from '#core/billing/host.ts'
import { ServiceError } from '#core/errors.ts'
import type { RedirectDomainStore } from '#ports/catalogue.ts'

/** Returns `invalid_redirect_url` for a host that is no active domain of any of the owners, or null. */
export async function judgeDomains(
  { redirectDomains }: { readonly redirectDomains: Pick<RedirectDomainStore, 'active'> },
  owners: readonly Tenant[],
  redirects: readonly Redirect[],
): Promise<ServiceError | null> {
  const hosts = redirects.flatMap(({ host }) => host ?? [])
  if (hosts.length === 0) return null
  const active = await Promise.all(owners.map((owner) => redirectDomains.active(owner, hosts)))
  const strange = redirects.find(({ host }) => host !== null && !active.some((domains) => domains.has(host)))
  return strange === undefined ? null : new ServiceError('invalid_redirect_url', { field: strange.field })
}
