// The use cases of a buyer, for the intent of its client secret. Spec: "Checkout endpoints (client secret)".
import { ServiceError } from '#core/errors.ts'
import { startChange, step } from '#core/payments/change.ts'
import { acceptsDetails, applyCustomerPatch, judgeCustomerPatch } from '#core/payments/customer-details.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Clock } from '#ports/clock.ts'
import type { ChangeStore, CheckoutStore } from '#ports/payments.ts'
import type { Secrets } from '#ports/secrets.ts'
import type { IntentServices } from '#services/payments/intent-services.ts'
import { CHANGED_MEANWHILE, retryWhenChanged } from '#services/retry-when-changed.ts'

export type FindByClientSecret = (clientSecret: string) => Promise<PaymentIntent>

/** Returns a lookup by client secret. The lookup throws `invalid_client_secret` for an unknown or wrong secret. */
export const createFindByClientSecret =
  (deps: { checkout: CheckoutStore; secrets: Pick<Secrets, 'hash'> }): FindByClientSecret =>
  async (clientSecret) => {
    // The hash is found by an index, so the time of the lookup reveals no character of the secret.
    const intent = await deps.checkout.findByClientSecretHash(deps.secrets.hash(clientSecret))
    if (intent === null) throw new ServiceError('invalid_client_secret')
    return intent
  }

/** Carries out POST /intents/details: fields sent overwrite, fields omitted are untouched, null clears. */
export function createUpdateDetails(deps: {
  findByClientSecret: FindByClientSecret
  store: ChangeStore
  clock: Clock
}): IntentServices['updateDetails'] {
  return async (clientSecret, patch) => {
    const refusal = judgeCustomerPatch(patch)
    if (refusal !== null) {
      await deps.findByClientSecret(clientSecret)
      throw new ServiceError(refusal)
    }
    return retryWhenChanged(async () => {
      const intent = await deps.findByClientSecret(clientSecret)
      if (!acceptsDetails(intent.status)) throw new ServiceError('details_frozen', { status: intent.status })
      const customerDetails = applyCustomerPatch(intent.customerDetails, patch)
      const change = step(startChange(intent), { customerDetails }, deps.clock.now(), null)
      return (await deps.store.apply(change)) ? change.after : CHANGED_MEANWHILE
    })
  }
}
