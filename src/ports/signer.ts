// The only thing that holds private keys. It signs a stored attempt's message, after checking for itself that the
// message does what the stored plan says and nothing else.
import type { Signature } from '#core/chain/types.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'

/** The bytes of the whole transaction and its name; or why nothing was signed, in one sentence. */
export type Signing = { readonly wire: Uint8Array; readonly signature: Signature } | { readonly refused: string }

export type Signer = {
  /**
   * Signs with the plan's source key and the network's fee payer. Ed25519 is deterministic: the same message gives the
   * same bytes, so signing again after a crash is harmless. Refuses when the message does anything that the plan does not
   * state, or offers more for its priority than a transaction may cost.
   */
  sign(plan: TransactionPlan, message: Uint8Array): Promise<Signing>
}
