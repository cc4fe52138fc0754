// The picture of an asset: the one that the operator has set, one of the common assets, or the first letter of the ticker.
import { SOL } from '#pay/views/payment/amounts.ts'

type Sign = { readonly fill: string; readonly sign: string }

/** The common stablecoins of mainnet, by mint. */
const STABLECOINS: Readonly<Record<string, Sign>> = {
  EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v: { fill: '#2775ca', sign: '$' },
  Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB: { fill: '#1a8266', sign: '₮' },
  '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo': { fill: '#0058c9', sign: 'P' },
  HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr: { fill: '#2775ca', sign: '€' },
}

type Token = { readonly asset: string; readonly ticker: string; readonly imageUrl: string | null }

export function TokenLogo({ token: { asset, ticker, imageUrl } }: { token: Token }) {
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
