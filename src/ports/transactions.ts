// The signer alone has private keys. Before it signs the message of a stored attempt or approval, it checks that the message
// does exactly what the stored plan states.
import type { SponsoredPlan, SponsoredTransaction } from '#core/billing/approval.ts'
import type { Address, Lifetime, Signature } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { TokenDetails, TransactionPlan } from '#core/transfers/plan.ts'

/** Why nothing was signed, in one sentence. */
export type Refusal = { readonly refused: string }

/** The bytes and the signature of the transaction. */
export type Signing = { readonly wire: Uint8Array; readonly signature: Signature } | Refusal

/** Ed25519 is deterministic: the same message gives the same bytes, so signing again after a crash is harmless. */
export type Signer = {
  /**
   * Signs for the signers that the plan names: the fee payer of the network and the authority of the source.
   * Refuses when the message does anything that the plan does not state, or offers more for its priority than a transaction
   * may cost. Refuses a pull by a delegate without the memo that names it.
   */
  sign(plan: TransactionPlan, message: Uint8Array): Promise<Signing>
  /**
   * Signs the message of a stored approval for the fee payer only. Refuses as `sign` does, and when an approve sets
   * another delegate than the service's own, or the message has another signer than the owner.
   */
  sponsor(plan: SponsoredPlan, message: Uint8Array): Promise<SponsoredTransaction | Refusal>
}

// The transactions by which a buyer's own wallet pays. The service makes them and holds none of their keys.

/**
 * `amount` is in base units of the token; `token` null is SOL. The wallet pays the network fee. `reference` is a key that the transfer
 * names, so that it is found; null for none.
 */
export type WalletPayment = {
  readonly wallet: Address
  readonly to: Address
  readonly amount: BaseUnits
  readonly token: TokenDetails | null
  readonly reference: Address | null
  readonly lifetime: Lifetime
}

export type WalletTransactions = {
  /** Returns the transaction in wire form, with an empty place for the signature of the wallet. */
  compilePayment(payment: WalletPayment): Uint8Array
  /**
   * Reads a transaction; `written` are the accounts that it may change. Null for other bytes, for more than 1232 bytes, and unless
   * every signer has signed it.
   */
  readSigned(wire: Uint8Array): { readonly signature: Signature; readonly written: readonly Address[] } | null
}
