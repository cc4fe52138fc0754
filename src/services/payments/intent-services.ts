// The use cases of payment intents: their interface, inputs and answers.
import type { Tenant } from '#core/accounts/account.ts'
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
}
