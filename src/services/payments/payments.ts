// Puts the use cases of payment intents together.
import type { Tenant } from '#core/accounts/account.ts'
import type { Network } from '#core/chain/types.ts'
import { hasCode, ServiceError } from '#core/errors.ts'
import { decideCancel, judgeCancel } from '#core/payments/machine/checkout.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { fullListsOf } from '#core/payments/returns/return-lists.ts'
import type { BalanceReader, DepositKeys, HistoryReader } from '#ports/chain.ts'
import type { CheckoutStore, IntentChanges, IntentStore, IntentWorkStore } from '#ports/payments.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { createDepositObserver } from '#services/detection/observe.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import { createTakeInArrivals, type TakeInArrivals } from './arrivals.ts'
import { createFindByClientSecret, createQuote, createSelectToken, createUpdateDetails } from './checkout.ts'
import { type CreateIntentDeps, createIntentCreator } from './create.ts'
import { decideAndApply, type ReadDecisionContext } from './decide.ts'
import type { IntentServices } from './intent-services.ts'
import type { LockRate, ReadLeastPayable } from './lock-rate.ts'
import { createRefundAddresses, type RefundAddressDeps } from './refund-address.ts'
import { createSweep } from './sweep.ts'

// The addresses of the pages of payments.

export type PageServices = {
  /** Returns the page on which a buyer pays. Every person who has it can do what its client secret permits. */
  paymentUrl(clientSecret: string): string
}

/** `payUrl` is {pay_url}, without a slash at the end. */
export const createPageServices = ({ payUrl }: { readonly payUrl: string }): PageServices => ({
  paymentUrl: (clientSecret) => `${payUrl}/i/${clientSecret}`,
})

// POST /cancel and POST /intents/cancel: possible before payment only, and the payment wins every race.

/**
 * Returns the intent after the cancel: cancelled, refunding or refunded, or refund_failed when its money cannot go back
 * automatically. Throws `payment_already_received` and `payment_arriving`.
 */
export type CancelIntent = (intent: PaymentIntent) => Promise<PaymentIntent>

export type CancelDeps = {
  readonly store: Pick<IntentWorkStore, 'facts' | 'apply'>
  readonly takeInArrivals: TakeInArrivals
  readonly decisionContext: ReadDecisionContext
}

export const createCancel =
  ({ store, takeInArrivals, decisionContext }: CancelDeps): CancelIntent =>
  async (intent) => {
    // The status is enough, so a repeated cancel does not read the deposits: strangers can add any number of them.
    const answer = judgeCancel(intent)
    if (answer === 'unchanged') return intent
    if (answer !== null) throw new ServiceError(answer, { status: intent.status })
    const balances = await takeInArrivals(intent).catch(withoutChain)
    const context = await decisionContext(intent.network)
    const after = await decideAndApply(store, intent.id, (facts) => decideCancel(facts, context, balances))
    if (after === null) throw new ServiceError('intent_not_found')
    return after
  }

/** A cancel does not need the chain: a payment that lands after this check goes back automatically. */
function withoutChain(error: unknown): readonly [] {
  if (!hasCode(error, 'chain_unavailable')) throw error
  return []
}

export type IntentDeps = Omit<CreateIntentDeps, 'secrets'> &
  Pick<RefundAddressDeps, 'judgeBuyerAddress'> & {
    readonly intents: IntentStore
    readonly checkout: CheckoutStore
    readonly work: Pick<IntentWorkStore, 'facts' | 'apply' | 'recordUnaccepted' | 'selectionTimes'>
    readonly secrets: CreateIntentDeps['secrets'] & Parameters<typeof createFindByClientSecret>[0]['secrets']
    readonly directory: Directory
    readonly prices: PriceSource
    readonly leastPayable: ReadLeastPayable
    readonly lockRate: LockRate
    readonly keys: DepositKeys
    readonly chainOf: (network: Network) => BalanceReader & HistoryReader
    readonly decisionContext: ReadDecisionContext
    readonly changes: IntentChanges
  }

/** Anyone can add deposits. */
const SHOWN_DEPOSITS = 20

export function createIntentServices(deps: IntentDeps): IntentServices {
  const findByClientSecret = createFindByClientSecret(deps)
  const found = (intent: PaymentIntent | null): PaymentIntent => {
    if (intent === null) throw new ServiceError('intent_not_found')
    return intent
  }
  const store = deps.work
  const takeInArrivals = createTakeInArrivals({ ...deps, store, observe: createDepositObserver({ ...deps, store }) })
  const cancel = createCancel({ ...deps, store, takeInArrivals })
  return {
    create: createIntentCreator(deps),
    async findCreated(id) {
      const { secret } = deps.secrets.clientSecretOf(id)
      return { intent: await findByClientSecret(secret), clientSecret: secret, created: true }
    },
    findByIndex: async (caller: Tenant, index) => found(await deps.intents.findByIndex(caller, index)),
    findByReference: async (caller: Tenant, reference) => found(await deps.intents.findByReference(caller, reference)),
    checkoutStatus: findByClientSecret,
    deposits: async ({ id, received }) =>
      received === 0n ? [] : await deps.checkout.countedDeposits(id, SHOWN_DEPOSITS),
    quote: createQuote({ ...deps, findByClientSecret }),
    selectToken: createSelectToken({ ...deps, findByClientSecret, store, takeInArrivals }),
    cancelByIndex: async (caller: Tenant, index) => await cancel(found(await deps.intents.findByIndex(caller, index))),
    cancelByClientSecret: async (clientSecret) => await cancel(await findByClientSecret(clientSecret)),
    sweep: createSweep({ ...deps, store }),
    async lists(caller: Tenant, index) {
      const { id, network } = found(await deps.intents.findByIndex(caller, index))
      const facts = await store.facts(id)
      if (facts === null) throw new ServiceError('intent_not_found')
      return fullListsOf(facts, await deps.decisionContext(network))
    },
    updateDetails: createUpdateDetails({ ...deps, store, findByClientSecret }),
    ...createRefundAddresses({ ...deps, store, findByClientSecret }),
  }
}
