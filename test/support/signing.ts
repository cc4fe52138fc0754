// Signing for tests of other rules: a refusal fails the test.
import type { TransactionPlan } from '#core/transfers/plan.ts'
import type { Signer } from '#ports/transactions.ts'

export async function mustSign(signer: Signer, plan: TransactionPlan, message: Uint8Array) {
  const signing = await signer.sign(plan, message)
  if ('refused' in signing) throw new Error(signing.refused)
  return signing
}
