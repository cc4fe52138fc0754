// Stored refunds by businesses. The stores of a business take its credential first; workers have a store of their own.
import type { Tenant } from '#core/accounts/account.ts'
import type { Actor } from '#core/accounts/audit.ts'
import type { Address, Network } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { RefundChange } from '#core/refunds/observe.ts'
import type { Counted, Settled } from '#core/refunds/plan.ts'
import type { Refund, RefundTransaction } from '#core/refunds/refund.ts'

/** The newest refunds of a payment or a charge, and what all of them together take of what settled, in base units. */
export type RefundsOf = { readonly refunds: readonly Refund[]; readonly total: BaseUnits }

/** The refunds of a business, and of the sellers of its marketplace. */
export type RefundStore = {
  find(tenant: Tenant, id: string): Promise<Refund | null>
  findByReference(tenant: Tenant, reference: string): Promise<Refund | null>
  /**
   * Stores what `decide` returns, with an event and an entry of the audit log for each, or finds the refund that has the reference (`created: false`). Refunds of one
   * payment or charge are stored one after the other, each decided by what those before it take, so that all together never take
   * more than what settled: the database has a check for it. What `decide` throws is thrown, and nothing is stored.
   */
  create(
    by: { readonly tenant: Tenant; readonly actor: Actor },
    settled: Settled,
    reference: string | null,
    decide: (counted: Counted) => readonly Refund[],
  ): Promise<{ readonly refund: Refund; readonly created: boolean }>
  /** Returns a charge that the tenant sees, as a refund sees it. null when there is none, and its amount is 0 until it succeeded. */
  settledCharge(tenant: Tenant, chargeId: string): Promise<Settled | null>
  /** Returns what the refunds of a payment or a charge take of it. */
  counted(settled: Pick<Settled, 'intentId' | 'chargeId'>): Promise<Counted>
  /** Has the history of a refund read soon. */
  lookSoon(refund: Refund, at: Date): Promise<void>
  /** Returns the refunds of payments and charges, by the ids of these, the newest first. */
  refundsOf(subjectIds: readonly string[]): Promise<ReadonlyMap<string, RefundsOf>>
}

/** The refunds of every business, for what reads the chain. */
export type RefundWorkStore = {
  /** Returns refunds whose history is due to be read: of each business one after the other, the longest due first. */
  due(network: Network, now: Date, limit: number): Promise<readonly Refund[]>
  /** Returns the transactions that paid a refund. */
  transactions(refundId: string): Promise<readonly RefundTransaction[]>
  /** Returns a refund and the transactions that paid it, as of one moment. */
  paid(
    refundId: string,
  ): Promise<{ readonly refund: Refund; readonly transactions: readonly RefundTransaction[] } | null>
  /** Returns the refunds whose reference keys are among these addresses. */
  named(network: Network, addresses: readonly Address[]): Promise<readonly Refund[]>
  /**
   * Writes a change with its event, its entry of the audit log and the transactions that were found, in one database transaction. Its version grows when what is
   * shown has changed. Returns the refund as it is stored; null, with nothing written, when it has changed since it was read.
   */
  apply(before: Refund, change: RefundChange, found: readonly RefundTransaction[]): Promise<Refund | null>
  /** Has the history of a refund that could not be read at `now` read again at `at`, and counts the failure. */
  lookLater(refund: Refund, at: Date, now: Date): Promise<void>
}
