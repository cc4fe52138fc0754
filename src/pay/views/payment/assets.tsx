// The choice of what to pay with, each with its amount of now.
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { Notice } from '#pay/views/parts.tsx'
import type { Checkout } from '#pay/views/payment/checkout.ts'
import { TokenLogo } from '#pay/views/payment/token-logo.tsx'
import { Press } from '#pay/views/press.tsx'

/** Why an asset cannot be chosen, by the codes of docs/errors.md. Every other reason may pass. */
const UNQUOTED: Readonly<Record<string, TextKey>> = {
  amount_too_small: 'tooSmallFor',
  amount_too_large: 'tooLargeFor',
}

export function Assets({ checkout }: { checkout: Checkout }) {
  const { say, formats } = usePage()
  const { payment, tokens, quotes, funds } = checkout
  if (tokens.length === 0) return <Notice>{say('nothingAccepted', { merchant: payment.merchantName })}</Notice>
  return (
    <>
      <ul class="assets">
        {tokens.map((token) => {
          const quoted = quotes?.[token.asset]
          const amount = quoted && 'expectedAmount' in quoted ? quoted.expectedAmount : null
          const held = funds.get(token.asset)
          const reason = quoted && 'code' in quoted ? (UNQUOTED[quoted.code] ?? 'unavailableTitle') : null
          return (
            <li key={token.asset}>
              <Press action={checkout.select(token.asset)} class="asset" disabled={amount === null}>
                <TokenLogo token={token} />
                <span class="body">
                  <span class="name">
                    <bdi>{token.name}</bdi>
                  </span>
                  {amount !== null && <span class="amount">{formats.amount(amount, token)}</span>}
                  {quoted === undefined && <span class="amount">…</span>}
                  <span class="hint">
                    {reason !== null && say(reason, { token: token.ticker })}
                    {reason === null && held && (
                      <>
                        <bdi>{held.wallet}</bdi>: {formats.amount(held.amount, token)}
                      </>
                    )}
                    {reason === null && !held && token.ticker}
                  </span>
                </span>
              </Press>
            </li>
          )
        })}
      </ul>
      {quotes === null && <Notice>{say('noQuotes')}</Notice>}
    </>
  )
}
