// The only thing that holds private keys. It signs a stored attempt's message, after checking for itself that the
// message does what the stored plan says and nothing else.
import type { Signature } from '#core/chain/types.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'

export type Signer = {
  /**
   * Signs with the plan's source key and the network's fee payer. Ed25519 is deterministic: the same message gives the
   * same bytes, so signing again after a crash is harmless. Throws when the message moves anything to a destination or
   * in an amount that the plan does not state.
   */
  sign(plan: TransactionPlan, message: Uint8Array): Promise<{ wire: Uint8Array; signature: Signature }>
}
