// The choice of what to pay with, each with its amount of now.

import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { Notice } from '#pay/views/parts.tsx'
import { Press } from '#pay/views/press.tsx'
import { SOL } from './amounts.ts'
import type { Checkout } from './checkout.ts'

// The picture of an asset: the one that the operator has set, one of the common assets, or the first letter of the ticker.

type Sign = { readonly fill: string; readonly sign: string }

/** The common stablecoins of mainnet, by mint. */
const STABLECOINS: Readonly<Record<string, Sign>> = {
  EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: { fill: '#2775ca', sign: '$' },
  Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB: { fill: '#1a8266', sign: '₮' },
  '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo': { fill: '#0058c9', sign: 'P' },
  HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr: { fill: '#2775ca', sign: '€' },
}

type Token = { readonly asset: string; readonly ticker: string; readonly imageUrl: string | null }

function TokenLogo({ token: { asset, ticker, imageUrl } }: { token: Token }) {
  if (imageUrl !== null) return <img class="logo" src={imageUrl} alt="" width="32" height="32" />
  if (asset === SOL) return <SolLogo />
  const known = STABLECOINS[asset]
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="16" r="16" fill={known?.fill} />
      <text x="16" y="22" text-anchor="middle">
        {known?.sign ?? ticker.slice(0, 1)}
      </text>
    </svg>
  )
}

const SolLogo = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
    <defs>
      <linearGradient id="sol" x1="0" y1="1" x2="1" y2="0">
        <stop offset="0" stop-color="#9945ff" />
        <stop offset="1" stop-color="#14f195" />
      </linearGradient>
    </defs>
    <circle cx="16" cy="16" r="16" fill="#15131d" />
    <path fill="url(#sol)" d="M11 9h14l-3 3H8zM8 14.5h14l3 3H11zM11 20h14l-3 3H8z" />
  </svg>
)

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
