// The transactions by which a buyer's own wallet pays. The service makes them and holds none of their keys.
import type { Address, Lifetime, Signature } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { TokenDetails } from '#core/transfers/plan.ts'

/** `amount` is in base units of the token; `token` null is SOL. The wallet pays the network fee. */
export type WalletPayment = {
  readonly wallet: Address
  readonly to: Address
  readonly amount: BaseUnits
  readonly token: TokenDetails | null
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
