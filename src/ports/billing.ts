// Stored subscriptions with their charges, for the workers and services of billing. No edge gets this store.

import type { Tenant } from '#core/accounts/account.ts'
import type { ApprovalEnd } from '#core/billing/approval.ts'
import type { BusinessLimit } from '#core/billing/business-budget.ts'
import type { ChargeTransfer } from '#core/billing/charge-transfer.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { Pull } from '#core/billing/delegation-state.ts'
import type { BillingChange } from '#core/billing/machine/change.ts'
import type { BillingFacts } from '#core/billing/machine/facts.ts'
import type { WalletProof } from '#core/billing/proof/challenge.ts'
import type { Slice } from '#core/billing/room.ts'
import type { Tier } from '#core/billing/tier.ts'
import type { Address, Network, Signature } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { NewLedgerEntry } from '#core/transfers/transfer.ts'

/** The facts of a subscription as they are stored. The service adds what its keys say: delegate and token accounts. */
export type StoredFacts = Omit<BillingFacts, 'terms'> & { readonly tier: Tier }

/** A past-due subscription, the account whose refill makes its charge possible, and the amount of that charge. */
export type PastDue = Pick<Delegation, 'wallet' | 'mint' | 'tokenAccount'> & {
  readonly subscriptionId: string
  readonly amount: BaseUnits
}

/** The consent of the wallet that a change takes effect by: its approve ends, or its signed text is used up. */
export type GivenConsent =
  | { readonly by: 'approve'; readonly end: ApprovalEnd }
  | { readonly by: 'proof'; readonly proof: WalletProof }

/** In lamports. Costs are those of final transactions, without charges that repay themselves. */
export type BusinessCosts = {
  /** Returns what the subscriptions of a business have cost the fee payer since a time. */
  costOf(businessId: string, since: Date): Promise<bigint>
  /**
   * Returns the given charges of businesses that have cost as much since a time as they may: the budget for first charges and charges
   * that have failed before, and the budget without its reserve for all others.
   */
  overBudget(chargeIds: readonly string[], limit: BusinessLimit): Promise<ReadonlySet<string>>
  /** Returns the given charges for accounts that the operator has disabled, or whose marketplace is. */
  ofDisabled(chargeIds: readonly string[]): Promise<ReadonlySet<string>>
}

export type BillingStore = BusinessCosts & {
  /** Returns the facts in the order asked, each of one moment; null for a subscription that does not exist. */
  facts(subscriptionId: string): Promise<StoredFacts | null>
  /** Returns the facts of the subscription that a charge belongs to. */
  factsOfCharge(chargeId: string): Promise<StoredFacts | null>
  /**
   * Writes a change in one transaction: subscription, charges, transfers, delegation, checkout, ledger, events and notice. Every
   * change of a delegation's slices queues at its row. Returns false, with nothing written, when the subscription, the
   * checkout or the delegation has changed since it was read. `delegation` is the delegation that the decision was made by.
   * The same transaction writes the consent; false, too, when its approve has ended, or its text cannot be used any more.
   */
  apply(
    change: BillingChange,
    delegation: Pick<Delegation, 'id' | 'version'>,
    consent?: GivenConsent | null,
  ): Promise<boolean>
  /** Returns the transfer of a charge; null when there is no such charge. */
  chargeTransfer(chargeId: string): Promise<ChargeTransfer | null>
  /** Returns when the newest changes by people were made that left the subscription running, the newest first. */
  changeTimes(subscriptionId: string, most: number): Promise<readonly Date[]>
  /** Returns a tier, also an archived one. */
  tier(id: string): Promise<Tier | null>
  /** Returns subscriptions that are due, the longest due first. */
  due(network: Network, now: Date, limit: number): Promise<readonly string[]>
  /** Returns past-due subscriptions whose charge failed for lack of funds, in the order of their ids, after `after`. */
  pastDue(
    network: Network,
    options: { readonly after: string | null; readonly limit: number },
  ): Promise<readonly PastDue[]>
}

/** A delegation, and one of the businesses that charge from it. */
export type LiveOn = { readonly delegationId: string; readonly accountId: string }

/** Delegations as edges show them: what they contain is public on the chain. */
export type DelegationLookup = {
  find(id: string): Promise<Delegation | null>
  /** Returns the number of live subscriptions of a business on a delegation. */
  countLive(on: LiveOn): Promise<number>
  /** Returns the delegations of a wallet by which the business charges it, the newest first. */
  ofMerchant(tenant: Tenant, wallet: Address): Promise<readonly Delegation[]>
}

/** `booked`: the ledger has it. `approve`: an approve, booked or under way. `under_way`: a pull that is to be booked when it is final. */
export type KnownAs = 'booked' | 'approve' | 'under_way'

export type UnexplainedPull = {
  /** After the pull. */
  readonly delegation: Delegation
  readonly version: number
  readonly ledger: readonly NewLedgerEntry[]
  /** For people. */
  readonly reason: string
  readonly at: Date
}

/** Delegations with the slices of their subscriptions. */
export type DelegationStore = {
  /**
   * Returns delegations with something outstanding whose last reading is older than `before`, the oldest reading first. A reading
   * after `now` counts as old, because the clock was set back since. The two kinds take turns, so that neither waits for the other.
   */
  stale(
    network: Network,
    times: { readonly before: Date; readonly now: Date },
    limit: number,
  ): Promise<readonly Delegation[]>
  /** Returns the slices of subscriptions that are not ended, or have a charge under way. */
  slices(delegationId: string): Promise<readonly Slice[]>
  /** Returns the booked pulls whose slot is after this one. */
  pullsAfter(delegationId: string, slot: bigint): Promise<readonly Pull[]>
  /** Writes a delegation over the version that was read. Returns false when it has changed since. */
  save(delegation: Delegation, version: number): Promise<boolean>
  /** Returns what the service knows of transactions, by signature. One that it does not know has no entry. */
  knownAs(signatures: readonly Signature[]): Promise<ReadonlyMap<Signature, KnownAs>>
  /**
   * Books a pull that no charge explains, over the version of the delegation that was read, and halts the wallet: nothing more is
   * pulled until the operator clears the halt. Returns false when the delegation has changed since.
   */
  haltFor(pull: UnexplainedPull): Promise<boolean>
}
