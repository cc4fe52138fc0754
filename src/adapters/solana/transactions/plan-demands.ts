// What the signer demands of the message of a transfer, and which of the service's keys may sign for it.
import type { Address } from '@solana/kit'
import type { TransactionPlan } from '#core/transfers/plan.ts'
import { type Demands, MessageMismatch } from './demands.ts'
import { closeDemands, legsDemands } from './token-demands.ts'

/** Throws MessageMismatch for a plan that no message may carry out. */
export async function demandsOf(plan: TransactionPlan, feePayer: Address): Promise<Demands> {
  checkKeys(plan)
  switch (plan.kind) {
    case 'legs':
      return await legsDemands(plan, feePayer)
    case 'close':
      return await closeDemands(plan, feePayer)
  }
}

/** Checks the keys. The fee payer and the delegate each sign for their own purpose only. */
function checkKeys(plan: TransactionPlan): void {
  const { source, authority } = plan
  if (authority.address === source) {
    if (authority.key.branch !== 'deposit') throw new MessageMismatch('a service key pays out its own balance')
    return
  }
  if (plan.kind === 'close' || plan.token === null) throw new MessageMismatch('a delegate can only move a token')
  if (authority.key.branch !== 'delegate') throw new MessageMismatch('another key than the delegate’s pulls')
  if (plan.memo === undefined) throw new MessageMismatch('a pull without the memo that names it')
}
