// The only thing that holds private keys. It signs a stored attempt's message, after checking for itself that the
// message does what the stored plan says and nothing else.
import type { Address, Signature } from '#core/chain/types.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'

/**
 * The bytes of the transaction and its name; or why nothing was signed, in one sentence. Signatures that are not the
 * service's to make are 64 zero bytes, and their signers are `missing`.
 */
export type Signing =
  | { readonly wire: Uint8Array; readonly signature: Signature; readonly missing: readonly Address[] }
  | { readonly refused: string }

export type Signer = {
  /**
   * Signs for everyone whom the plan names: the network's fee payer, the authority of the source, and that of a nonce.
   * Ed25519 is deterministic: the same message gives the same bytes, so signing again after a crash is harmless. Refuses
   * when the message does anything that the plan does not state, or offers more for its priority than a transaction may
   * cost. `others` are wallets that sign for themselves, elsewhere: the message must name them, and nothing is signed for
   * them.
   */
  sign(plan: TransactionPlan, message: Uint8Array, others?: readonly Address[]): Promise<Signing>
}
