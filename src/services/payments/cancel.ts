// POST /cancel and POST /intents/cancel: possible before payment only, and the payment wins every race.
import type { Network } from '#core/chain/types.ts'
import { hasCode, ServiceError } from '#core/errors.ts'
import { isExplained } from '#core/payments/deposits/inbound.ts'
import { decideCancel, judgeCancel } from '#core/payments/machine/checkout.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { BalanceReader, DepositKeys } from '#ports/chain.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { ObserveDeposits } from '#services/detection/observe.ts'
import type { ChangedAccount } from '#services/detection/polling/inbound-reading.ts'
import { accountsOf, balanceOf } from '#services/detection/polling/watch-list.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { ReadDecisionContext } from '#services/payments/decision-context.ts'

/**
 * Returns the intent after the cancel: cancelled, refunding or refunded, or refund_failed when its money cannot go back
 * automatically. Throws `payment_already_received` and `payment_arriving`.
 */
export type CancelIntent = (intent: PaymentIntent) => Promise<PaymentIntent>

export type CancelDeps = {
  readonly chainOf: (network: Network) => BalanceReader
  readonly store: Pick<IntentWorkStore, 'facts' | 'apply'>
  readonly directory: Pick<Directory, 'tokens'>
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly observe: ObserveDeposits
  readonly decisionContext: ReadDecisionContext
}

export const createCancel =
  (deps: CancelDeps): CancelIntent =>
  async (intent) => {
    // The status is enough, so a repeated cancel does not read the deposits: strangers can add any number of them.
    const answer = judgeCancel(intent)
    if (answer === 'unchanged') return intent
    if (answer !== null) throw new ServiceError(answer, { status: intent.status })
    const balances = await observeArrivals(deps, intent)
    const context = await deps.decisionContext(intent.network)
    const after = await decideAndApply(deps.store, intent.id, (facts) => decideCancel(facts, context, balances))
    if (after === null) throw new ServiceError('intent_not_found')
    return after
  }

/**
 * Observes a payment that has landed but was not seen yet, and returns the balances. A payment that lands after this check
 * is a late payment.
 */
async function observeArrivals(deps: CancelDeps, intent: PaymentIntent): Promise<readonly ChangedAccount[]> {
  let seen: readonly ChangedAccount[] = []
  try {
    const facts = await deps.store.facts(intent.id)
    if (facts === null || judgeCancel(facts.intent) !== null) return seen
    const accounts = await accountsOf(intent, deps.keys, await deps.directory.tokens(intent.network))
    const { states } = await deps.chainOf(intent.network).readAccounts(
      accounts.map(({ account }) => account),
      'finalized',
    )
    seen = accounts.map((account, at) => ({ ...account, balance: balanceOf(states[at] ?? null, account.asset) }))
    const changed = seen.filter((touched) => !isExplained(facts, [], touched))
    if (changed.length > 0) await deps.observe(intent.id, changed)
  } catch (error) {
    // A cancel does not need the chain: later deposits go back automatically.
    if (!hasCode(error, 'chain_unavailable')) throw error
  }
  return seen
}
