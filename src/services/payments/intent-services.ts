// The use cases of payment intents: their interface, inputs and answers.
import type { Tenant } from '#core/accounts/account.ts'
import type { Actor } from '#core/accounts/audit.ts'
import type { Address, Asset, Signature } from '#core/chain/types.ts'
import type { ErrorCode } from '#core/errors.ts'
import type { BaseUnits, UsdCents } from '#core/money/amounts.ts'
import type { CustomerPatch } from '#core/payments/customer-details.ts'
import type { Deposit, PaymentIntent } from '#core/payments/payment-intent.ts'
import type { FullLists } from '#core/payments/returns/return-lists.ts'
import type { CreatedIntent, CreateIntent } from './create.ts'

export type Quote = {
  readonly priceUsdCents: UsdCents
  readonly expiresInSeconds: number
  readonly quotes: readonly {
    readonly asset: Asset
    readonly symbol: string
    readonly decimals: number
    readonly expected: BaseUnits
  }[]
  /** The other accepted assets that are allowed, with the reason why the price cannot be paid in each. */
  readonly unquoted: readonly { readonly asset: Asset; readonly code: ErrorCode }[]
}

/** Spec: "Sweep result". Amounts in base units of the intent's asset, `amount` net of the platform's fee. */
export type SweepResult = {
  readonly signature: Signature
  readonly amount: BaseUnits
  readonly platformFee: BaseUnits
  readonly from: Address
  readonly to: Address
}

/** The business that decides, and the key or member of it. */
export type Approver = { readonly tenant: Tenant; readonly actor: Actor }

/** Spec: "Payments (API key)" and "Checkout endpoints (client secret)". Each throws ServiceError. */
export type IntentServices = {
  readonly create: CreateIntent
  /** Returns the payment with this id as its creation did. Throws `invalid_client_secret`. */
  findCreated(id: string): Promise<CreatedIntent>
  /** Returns the payment. Throws `intent_not_found`. */
  findByIndex(caller: Tenant, index: number): Promise<PaymentIntent>
  /** Returns the payment. Throws `intent_not_found`. */
  findByReference(caller: Tenant, reference: string): Promise<PaymentIntent>
  /** Returns the payment. Throws `invalid_client_secret` on a wrong or unknown secret, as every checkout call does. */
  checkoutStatus(clientSecret: string): Promise<PaymentIntent>
  /** Returns the newest deposits that count for the price, oldest first. */
  deposits(intent: PaymentIntent): Promise<readonly Deposit[]>
  quote(clientSecret: string): Promise<Quote>
  selectToken(clientSecret: string, asset: Asset): Promise<PaymentIntent>
  /**
   * Cancels an unpaid payment, or refunds the money that has arrived for it. Idempotent. Throws
   * `payment_already_received`, and `payment_arriving` while money has landed that is not taken in yet.
   */
  cancelByIndex(caller: Tenant, index: number): Promise<PaymentIntent>
  cancelByClientSecret(clientSecret: string): Promise<PaymentIntent>
  /**
   * Moves the balance of the intent to the business now, and waits up to 30 s for it, or until the signal aborts. Throws `reserved_index`,
   * `intent_not_found`, `nothing_to_sweep`, `sweep_destination_missing`, `refund_in_progress`, `transfer_unconfirmed`, `sweep_failed`, and `rate_limited`
   * when too many calls of the business wait.
   */
  sweep(caller: Tenant, index: number, signal?: AbortSignal): Promise<SweepResult>
  /** Returns late payments, token refunds and held money in full, oldest first. Throws `intent_not_found`. */
  lists(caller: Tenant, index: number): Promise<FullLists>
  /** Returns the payment with the updated details. Throws `details_frozen`, `invalid_email`, `invalid_country`. */
  updateDetails(clientSecret: string, patch: CustomerPatch): Promise<PaymentIntent>
  /**
   * Keeps an address that the buyer proposes for held money. Throws `nothing_held`, `held_money_reserved`, `invalid_address` and
   * `refund_address_limit_reached`.
   */
  proposeRefundAddress(clientSecret: string, address: Address): Promise<PaymentIntent>
  /**
   * Releases the held money to the address that the buyer proposes. A repeat returns the payment. Throws `intent_not_found`,
   * `refund_address_not_proposed` for another address, `refund_address_decided`, `nothing_held`, `held_money_reserved` and
   * `invalid_address`.
   */
  approveRefundAddress(manager: Approver, id: string, address: Address): Promise<PaymentIntent>
  /** Declines it, for a reason that the buyer reads. Throws the same of them, and `invalid_request` without a reason. */
  declineRefundAddress(manager: Approver, id: string, address: Address, reason: string): Promise<PaymentIntent>
}
