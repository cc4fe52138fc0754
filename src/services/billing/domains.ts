// Redirect domains: a business registers a host before its checkouts can redirect there.
import { type Tenant, tenantOf } from '#core/accounts/account.ts'
import type { RedirectDomain } from '#core/billing/catalogue.ts'
import { isLocalPage, normalHost, originHost, type Redirect } from '#core/billing/host.ts'
import { ServiceError } from '#core/errors.ts'
import type { RedirectDomainStore } from '#ports/catalogue.ts'
import type { Clock } from '#ports/clock.ts'
import type { Random } from '#ports/random.ts'
import { isUuid } from '#services/requests.ts'
import type { DomainServices } from './catalogue-services.ts'

export type DomainDeps = {
  readonly redirectDomains: RedirectDomainStore
  readonly random: Pick<Random, 'uuid'>
  readonly clock: Clock
  /** Whether pages on the machine that opens them may embed a checkout: in a sandbox only. */
  readonly embedsLocally: boolean
}

export const createDomainServices = ({
  redirectDomains: domains,
  random,
  clock,
  embedsLocally,
}: DomainDeps): DomainServices => ({
  async createDomain({ tenant }, given, author, id = random.uuid()) {
    const host = normalHost(given)
    if (host === null) throw new ServiceError('invalid_host')
    const at = clock.now()
    const { accountId } = tenant
    const domain = { id, accountId, host, active: true, createdAt: at, updatedAt: at }
    return await domains.create(tenant, domain, { ...author, at })
  },
  findDomain: async ({ tenant }, id) => required(isUuid(id) ? await domains.find(tenant, id) : null),
  async mayEmbed({ accountId, network }, origin) {
    if (embedsLocally && isLocalPage(origin)) return true
    const host = originHost(origin)
    return host !== null && (await domains.active(tenantOf({ id: accountId, network }), [host])).has(host)
  },
  archiveDomain: async ({ tenant }, id, author) =>
    required(isUuid(id) ? await domains.archive(tenant, id, { ...author, at: clock.now() }) : null),
})

function required(domain: RedirectDomain | null): RedirectDomain {
  if (domain === null) throw new ServiceError('domain_not_found')
  return domain
}

// Where a checkout may send its buyer: to the active redirect domains of the business.

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
