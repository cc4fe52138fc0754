// The choice of what to pay with, each with its amount of now.
import { usePage } from '#pay/views/context.tsx'
import { Notice } from '#pay/views/parts.tsx'
import type { Checkout } from '#pay/views/payment/checkout.ts'

export function Assets({ checkout }: { checkout: Checkout }) {
  const { say, formats } = usePage()
  const { payment, tokens, quotes, fault, isBusy } = checkout
  if (tokens.length === 0) return <Notice>{say('nothingAccepted', { merchant: payment.merchantName })}</Notice>
  return (
    <>
      <ul class="assets">
        {tokens.map((token) => {
          const amount = quotes?.[token.asset]
          return (
            <li key={token.asset}>
              <button
                type="button"
                class="asset"
                disabled={isBusy || amount === undefined}
                onClick={() => checkout.select(token.asset)}
              >
                <Logo url={token.imageUrl} ticker={token.ticker} />
                <bdi class="name">{token.name}</bdi>
                <span class="amount">{amount === undefined ? '…' : formats.amount(amount, token)}</span>
              </button>
            </li>
          )
        })}
      </ul>
      {quotes === null && <Notice>{say('noQuotes')}</Notice>}
      {fault !== null && <Notice>{say(fault)}</Notice>}
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
