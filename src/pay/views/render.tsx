// Renders the document of a page, on the server.
import { renderToString } from 'preact-render-to-string'
import type { PageInput, Render } from '#pay/page-input.ts'
import { fill } from '#pay/texts/texts.ts'
import { Document } from '#pay/views/document.tsx'
import { problemTexts } from '#pay/views/problem.tsx'

export const render: Render = (input, links) =>
  `<!doctype html>${renderToString(<Document input={input} links={links} title={titleOf(input)} />)}`

function titleOf({ texts, ...input }: PageInput): string {
  switch (input.page) {
    case 'payment':
      return fill(texts.payTo, { merchant: input.state.payment.merchantName })
    case 'checkout':
      return fill(texts.subscribeTo, { product: input.state.checkout.product.name })
    case 'portal':
      return fill(texts.yourSubscription, { product: input.state.portal.product.name })
    case 'recovery':
      return texts.recoverTitle
    case 'problem':
      return texts[problemTexts(input.state).title]
  }
}
