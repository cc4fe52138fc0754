// The hosts to which checkouts of a business may redirect.
import type { Tenant } from '#core/accounts/account.ts'
import type { RedirectDomain } from '#core/billing/redirect-domain.ts'

export type RedirectDomainStore = {
  find(tenant: Tenant, id: string): Promise<RedirectDomain | null>
  /** Inserts a domain. The stored domain of the host is made active instead, if there is one. */
  create(
    tenant: Tenant,
    domain: RedirectDomain,
  ): Promise<{ readonly domain: RedirectDomain; readonly created: boolean }>
  /** Makes a domain inactive. Null when the tenant has no such domain. */
  archive(tenant: Tenant, id: string, at: Date): Promise<RedirectDomain | null>
  /** Returns which of the hosts are active domains. */
  active(tenant: Tenant, hosts: readonly string[]): Promise<ReadonlySet<string>>
}
