// The body of each page.
import type { ComponentChild } from 'preact'
import type { PageInput } from '#pay/page-input.ts'
import { CheckoutView } from '#pay/views/checkout.tsx'
import { PageProvider, pageOf } from '#pay/views/context.tsx'
import { PaymentView } from '#pay/views/payment.tsx'
import { PortalView } from '#pay/views/portal.tsx'
import { ProblemView } from '#pay/views/problem.tsx'
import { RecoveryView } from '#pay/views/recovery.tsx'

export const PageBody = (input: PageInput) => (
  <PageProvider value={pageOf(input.texts, input.language, input.site)}>{viewOf(input)}</PageProvider>
)

function viewOf(input: PageInput): ComponentChild {
  switch (input.page) {
    case 'payment':
      return <PaymentView state={input.state} />
    case 'checkout':
      return <CheckoutView state={input.state} />
    case 'portal':
      return <PortalView state={input.state} />
    case 'recovery':
      return <RecoveryView />
    case 'problem':
      return <ProblemView problem={input.state} />
  }
}
