// All ports of an instance of the service, as one record. The monitor watches them, faults affect them, and a planted
// bug replaces them.
import type { Stores } from '#compose/stores.ts'
import type { BlockSource } from '#ports/blocks.ts'
import type { BalanceReader, Chain } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { WebhookSender } from '#ports/events.ts'
import type { PriceFeed } from '#ports/price-feed.ts'
import type { ReceiptSigner } from '#ports/receipts.ts'
import type { Signer } from '#ports/transactions.ts'
import type { PriceSource } from '#services/prices/price-source.ts'

/** The ports that all instances share: the database, the keys, the receivers of webhooks, the price feeds. */
export type WorldPorts = Pick<
  Stores,
  | 'accounts'
  | 'approvals'
  | 'audit'
  | 'billing'
  | 'challenges'
  | 'checkout'
  | 'checkouts'
  | 'custodians'
  | 'delegationLookup'
  | 'delegations'
  | 'deliveries'
  | 'depositAddresses'
  | 'halts'
  | 'held'
  | 'intents'
  | 'leases'
  | 'lineage'
  | 'operator'
  | 'portalPages'
  | 'portalSessions'
  | 'redirectDomains'
  | 'refunds'
  | 'refundWork'
  | 'settings'
  | 'sources'
  | 'subscriptionCoupons'
  | 'subscriptionIntents'
  | 'subscriptionProducts'
  | 'subscriptionTiers'
  | 'tokens'
  | 'transfers'
  | 'work'
  | 'workers'
> & {
  readonly signer: Signer
  readonly receiptSigner: ReceiptSigner
  readonly sender: WebhookSender
  readonly feeds: readonly PriceFeed[]
}

/** The ports of one instance, with the chain through its own adapters. */
export type InstancePorts = WorldPorts & {
  readonly chain: Chain & { openBlocks(): BlockSource }
  /** Where a request of a person reads what has landed. */
  readonly arrivals: BalanceReader
  readonly prices: PriceSource
  readonly clock: Clock
}

/** Returns a copy of a record of functions with some functions replaced. The others still belong to the original. */
export function replaced<T extends object>(original: T, patch: Partial<T>): T {
  return new Proxy(original, {
    get(target, name) {
      const own: unknown = Reflect.get(patch, name)
      return own === undefined ? Reflect.get(target, name) : own
    },
  })
}

type Method = (...args: unknown[]) => Promise<unknown>

/** Returns a port whose methods all pass through `carry`, which may execute a call or not, and answer or not. */
export function carried<T extends object>(
  port: T,
  carry: (method: string, effect: () => Promise<unknown>, args: readonly unknown[]) => Promise<unknown>,
): T {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      const call: Method = (...args) => carry(String(name), async () => Reflect.apply(method, target, args), args)
      return call
    },
  })
}
