// Signing in tests that are about something else: a refusal fails them.
import type { TransactionPlan } from '#core/transfers/plan.ts'
import type { Signer } from '#ports/signer.ts'

export async function mustSign(signer: Signer, plan: TransactionPlan, message: Uint8Array) {
  const signing = await signer.sign(plan, message)
  if ('refused' in signing) throw new Error(signing.refused)
  return signing
}
