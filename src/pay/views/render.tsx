// Renders the document of a page, on the server.
import { renderToString } from 'preact-render-to-string'
import type { PageInput, Render } from '#pay/page-input.ts'
import { pageOf } from '#pay/views/context.tsx'
import { Document, problemTexts } from './document.tsx'

export const render: Render = (input, links) =>
  `<!doctype html>${renderToString(<Document input={input} links={links} title={titleOf(input)} />)}`

function titleOf(input: PageInput): string {
  const { say } = pageOf(input.texts, input.language, input.site)
  switch (input.page) {
    case 'payment':
      return say('payTo', { merchant: input.state.payment.merchantName })
    case 'checkout':
      return say('subscribeTo', { product: input.state.checkout.product.name })
    case 'portal':
      return say('yourSubscription', { product: input.state.portal.product.name })
    case 'recovery':
      return say('recoverTitle')
    case 'problem':
      return say(problemTexts(input.state).title)
  }
}
