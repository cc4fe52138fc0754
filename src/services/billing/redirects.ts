// Where a checkout may send its buyer: to the active redirect domains of the business.
import type { Tenant } from '#core/accounts/account.ts'
import type { Redirect } from '#core/billing/host.ts'
import { ServiceError } from '#core/errors.ts'
import type { RedirectDomainStore } from '#ports/redirect-domains.ts'

/** Throws `invalid_redirect_url` for a host that is no active domain of any of the owners. */
export async function requireDomains(
  { redirectDomains }: { readonly redirectDomains: Pick<RedirectDomainStore, 'active'> },
  owners: readonly Tenant[],
  redirects: readonly Redirect[],
): Promise<void> {
  if (redirects.length === 0) return
  const hosts = redirects.map(({ host }) => host)
  const active = await Promise.all(owners.map((owner) => redirectDomains.active(owner, hosts)))
  const strange = redirects.find(({ host }) => !active.some((domains) => domains.has(host)))
  if (strange !== undefined) throw new ServiceError('invalid_redirect_url', { field: strange.field })
}
