// Puts the use cases of payment intents together.
import type { Tenant } from '#core/accounts/account.ts'
import type { Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { fullListsOf } from '#core/payments/returns/return-lists.ts'
import type { BalanceReader, DepositKeys, HistoryReader } from '#ports/chain.ts'
import type { CheckoutStore, IntentChanges, IntentStore, IntentWorkStore } from '#ports/payments.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { createDepositObserver } from '#services/detection/observe.ts'
import type { ReadDecisionContext } from '#services/payments/decision-context.ts'
import type { IntentServices } from '#services/payments/intent-services.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import { createTakeInArrivals } from './arrivals.ts'
import { createCancel } from './cancel.ts'
import { createFindByClientSecret, createUpdateDetails } from './checkout.ts'
import { type CreateIntentDeps, createIntentCreator } from './create.ts'
import type { LockRate } from './lock-rate.ts'
import type { ReadLeastPayable } from './payability.ts'
import { createQuote } from './quote.ts'
import { createSelectToken } from './select-token.ts'
import { createSweep } from './sweep.ts'

export type IntentDeps = Omit<CreateIntentDeps, 'secrets'> & {
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
  }
}
