// The signer alone has private keys. Before it signs the message of a stored attempt, it checks that the message does
// exactly what the stored plan states.
import type { Address, Signature } from '#core/chain/types.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'

/**
 * The bytes and the signature of the transaction; or why nothing was signed, in one sentence. A signature that another
 * wallet has to make is 64 zero bytes, and its signer is in `missing`.
 */
export type Signing =
  | { readonly wire: Uint8Array; readonly signature: Signature; readonly missing: readonly Address[] }
  | { readonly refused: string }

export type Signer = {
  /**
   * Signs for the signers that the plan names: the fee payer of the network, the authority of the source, and that of a nonce.
   * Ed25519 is deterministic: the same message gives the same bytes, so signing again after a crash is harmless. Refuses
   * when the message does anything that the plan does not state, or offers more for its priority than a transaction may
   * cost. `others` are wallets that sign for themselves, elsewhere: the message must name them, and nothing is signed for
   * them.
   */
  sign(plan: TransactionPlan, message: Uint8Array, others?: readonly Address[]): Promise<Signing>
}
