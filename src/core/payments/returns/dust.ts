// Payments that are too small to return. They cost a stranger hardly anything, so they must not cost the service an event,
// an entry of a list and a transfer each. docs/contract.md, "Dust".
import { SOL } from '#core/chain/types.ts'
import type { DecisionContext } from '#core/payments/machine/decision-context.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'

/** Payments of a token that must prove too small before payments that are no larger are held without a check. */
const PROOFS = 3

/**
 * Returns whether a payment is too small to return. For SOL the network fee decides. A token is too small when this was
 * found for each of its senders.
 */
export const isDust = ({ asset, amount, senders }: Deposit, { terms }: Pick<DecisionContext, 'terms'>): boolean =>
  asset === SOL
    ? amount <= terms.networkFee
    : senders.length > 0 && senders.every(({ obstacle }) => obstacle === 'too_small')

/**
 * Returns the deposit, with its senders marked when it is a token that goes back and is no larger than others of the same
 * intent that proved too small to return. `known` are the deposits of the intent.
 */
export function withKnownDust(deposit: Deposit, known: readonly Deposit[], context: DecisionContext): Deposit {
  const { asset, amount, use } = deposit
  if (asset === SOL || (use !== 'late' && use !== 'wrong_asset')) return deposit
  const proved = known.filter((one) => one.asset === asset && one.state === 'final' && isDust(one, context))
  if (proved.length < PROOFS || proved.every((one) => one.amount < amount)) return deposit
  return { ...deposit, senders: deposit.senders.map((sender) => ({ obstacle: 'too_small', ...sender })) }
}
