// Redirect domains: a business registers a host before its checkouts can redirect there.
import { tenantOf } from '#core/accounts/account.ts'
import { isLocalPage, normalHost, originHost } from '#core/billing/host.ts'
import type { RedirectDomain } from '#core/billing/redirect-domain.ts'
import { ServiceError } from '#core/errors.ts'
import type { RedirectDomainStore } from '#ports/catalogue.ts'
import type { Clock } from '#ports/clock.ts'
import type { Random } from '#ports/random.ts'
import type { DomainServices } from '#services/billing/catalogue-services.ts'
import { isUuid } from '#services/uuid.ts'

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
  async createDomain({ tenant }, given) {
    const host = normalHost(given)
    if (host === null) throw new ServiceError('invalid_host')
    const at = clock.now()
    const { accountId } = tenant
    return await domains.create(tenant, {
      id: random.uuid(),
      accountId,
      host,
      active: true,
      createdAt: at,
      updatedAt: at,
    })
  },
  findDomain: async ({ tenant }, id) => required(isUuid(id) ? await domains.find(tenant, id) : null),
  async mayEmbed({ accountId, network }, origin) {
    if (embedsLocally && isLocalPage(origin)) return true
    const host = originHost(origin)
    return host !== null && (await domains.active(tenantOf({ id: accountId, network }), [host])).has(host)
  },
  archiveDomain: async ({ tenant }, id) => required(isUuid(id) ? await domains.archive(tenant, id, clock.now()) : null),
})

function required(domain: RedirectDomain | null): RedirectDomain {
  if (domain === null) throw new ServiceError('domain_not_found')
  return domain
}
