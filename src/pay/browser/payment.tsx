// The script of the page of a payment.
import { takeOver } from '#pay/browser/take-over.tsx'
import { PaymentView } from '#pay/views/payment.tsx'

takeOver('payment', (state) => <PaymentView state={state} />)
