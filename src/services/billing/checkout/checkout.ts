// The services of the hosted checkout.
import { requireBilling } from '#services/billing/terms.ts'
import { activateCheckout } from './activate.ts'
import type { CheckoutServices } from './checkout-services.ts'
import { confirmCheckout } from './confirm.ts'
import type { CheckoutDeps } from './deps.ts'
import { prepareCheckout } from './prepare.ts'
import { readCheckout } from './read.ts'
import { retryCheckout } from './retry.ts'

/** `deps` is null while recurring billing is disabled. */
export function createCheckoutServices(deps: CheckoutDeps | null): CheckoutServices {
  const enabled = (): CheckoutDeps => requireBilling(deps)
  return {
    readCheckout: async (token) => await readCheckout(enabled(), token),
    prepareCheckout: async (token, wallet) => await prepareCheckout(enabled(), token, wallet),
    activateCheckout: async (token, given) => await activateCheckout(enabled(), token, given),
    confirmCheckout: async (token, given) => await confirmCheckout(enabled(), token, given),
    retryCheckout: async (token) => await retryCheckout(enabled(), token),
  }
}
