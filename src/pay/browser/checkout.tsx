// The script of the page of a subscription's checkout.
import { takeOver } from '#pay/browser/take-over.tsx'
import { CheckoutView } from '#pay/views/checkout.tsx'

takeOver('checkout', (state) => <CheckoutView state={state} />)
