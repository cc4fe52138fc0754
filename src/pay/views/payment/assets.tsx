// The choice of what to pay with, each with its amount of now.
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { Notice } from '#pay/views/parts.tsx'
import type { Checkout } from '#pay/views/payment/checkout.ts'
import { Press } from '#pay/views/press.tsx'

/** Why an asset cannot be chosen, by the codes of docs/errors.md. Every other reason may pass. */
const UNQUOTED: Readonly<Record<string, TextKey>> = {
  amount_too_small: 'tooSmallFor',
  amount_too_large: 'tooLargeFor',
}

export function Assets({ checkout }: { checkout: Checkout }) {
  const { say, formats } = usePage()
  const { payment, tokens, quotes } = checkout
  if (tokens.length === 0) return <Notice>{say('nothingAccepted', { merchant: payment.merchantName })}</Notice>
  return (
    <>
      <ul class="assets">
        {tokens.map((token) => {
          const quoted = quotes?.[token.asset]
          const amount = quoted && 'expectedAmount' in quoted ? quoted.expectedAmount : null
          return (
            <li key={token.asset}>
              <Press action={checkout.select(token.asset)} class="asset" disabled={amount === null}>
                <Logo url={token.imageUrl} ticker={token.ticker} />
                <bdi class="name">{token.name}</bdi>
                {amount !== null && <span class="amount">{formats.amount(amount, token)}</span>}
                {quoted === undefined && <span class="amount">…</span>}
                {quoted && 'code' in quoted && (
                  <span class="hint">{say(UNQUOTED[quoted.code] ?? 'unavailableTitle', { token: token.ticker })}</span>
                )}
              </Press>
            </li>
          )
        })}
      </ul>
      {quotes === null && <Notice>{say('noQuotes')}</Notice>}
    </>
  )
}

const Logo = ({ url, ticker }: { url: string | null; ticker: string }) =>
  url === null ? (
    <span class="logo" aria-hidden="true">
      {ticker.slice(0, 1)}
    </span>
  ) : (
    <img class="logo" src={url} alt="" width="32" height="32" />
  )
