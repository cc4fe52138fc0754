// The body of each page.
import type { ComponentChild } from 'preact'
import type { PageInput } from '#pay/page-input.ts'
import { PageProvider, pageOf } from '#pay/views/context.tsx'
import { PaymentView } from '#pay/views/payment.tsx'
import { ProblemView } from '#pay/views/problem.tsx'

export const PageBody = (input: PageInput) => (
  <PageProvider value={pageOf(input.texts, input.language, input.site)}>{viewOf(input)}</PageProvider>
)

function viewOf(input: PageInput): ComponentChild {
  switch (input.page) {
    case 'payment':
      return <PaymentView state={input.state} />
    case 'problem':
      return <ProblemView problem={input.state} />
  }
}
