// The use cases of a buyer who pays with a wallet that is connected to a page.
import type { Address, Asset, Signature } from '#core/chain/types.ts'
import type { BaseUnits, Lamports } from '#core/money/amounts.ts'

/**
 * A payment for the wallet to sign. `transaction` is in wire form; `amount` is in base units of the asset. `expiresAt`: when it
 * can no longer land, at the measured pace of the chain.
 */
export type PreparedPayment = {
  readonly transaction: Uint8Array
  readonly asset: Asset
  readonly amount: BaseUnits
  readonly expiresAt: Date
}

/** What a wallet can spend of an asset, in base units, and what a payment in it costs besides. */
export type WalletFunds = { readonly asset: Asset; readonly amount: BaseUnits; readonly cost: Lamports }

/** Each throws `invalid_client_secret`, and `chain_unavailable`. */
export type WalletPaymentServices = {
  /** Returns what a wallet can spend of each asset that the payment accepts and that is still allowed; nothing once no more can be paid. */
  walletFunds(clientSecret: string, wallet: Address): Promise<readonly WalletFunds[]>
  /** Makes the transaction by which a wallet pays what is due. Throws `nothing_due` and `insufficient_funds`. */
  preparePayment(clientSecret: string, wallet: Address): Promise<PreparedPayment>
  /**
   * Sends a transaction that the wallet has signed. It pays the address of the payment, or is refused: the service sends no
   * other transactions of strangers. What it pays is not judged: the chain shows what arrived. Throws `invalid_transaction` and
   * `transaction_refused`.
   */
  submitPayment(clientSecret: string, transaction: Uint8Array): Promise<Signature>
}
