// Payments that are too small to return. They cost a stranger hardly anything, so they must not cost the service an event,
// an entry of a list and a transfer each. docs/contract.md, "Dust".
import { SOL } from '#core/chain/types.ts'
import type { DecisionContext } from '#core/payments/machine/decision-context.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import type { FeeTerms } from '#core/payments/settlement-plan.ts'
import { highestFeeOf } from '#core/transfers/plan.ts'

/** Payments of a token that must prove too small before payments that are no larger are held without a check. */
const PROOFS = 3

/** The legs of a refund of SOL to one wallet: the refund, and the network fee. */
const LEGS_OF_ONE_REFUND = 2

/**
 * Returns the largest payment of SOL that is too small to return alone, in lamports: without the network fee, it is worth
 * no more than the highest fee of its transaction.
 */
export const largestDust = ({ networkFee, computeUnitPrice }: ReturnTerms): bigint =>
  networkFee + highestFeeOf(LEGS_OF_ONE_REFUND, computeUnitPrice)

export type ReturnTerms = Pick<FeeTerms, 'networkFee' | 'computeUnitPrice'>

/** Returns whether a payment is too small to return. A token is too small when this was found for each of its senders. */
export const isDust = ({ asset, amount, senders }: Deposit, { terms }: { readonly terms: ReturnTerms }): boolean =>
  asset === SOL
    ? amount <= largestDust(terms)
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
