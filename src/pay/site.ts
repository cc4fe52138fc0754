// What the pages know of the service: its addresses for browsers, and its chains.
import type { Site } from '#pay/page-input.ts'

export type PaySettings = {
  /** {base_url} and {pay_url}, without a slash at the end. */
  readonly publicUrl: string
  readonly payUrl: string
  readonly isSandbox: boolean
  /** The chains as wallets name them, such as `solana:mainnet`. Null for a network that is not configured. */
  readonly chains: Readonly<Record<'live' | 'test', string | null>>
}

/** Where a page is shown. */
export type Place = {
  /** The network of what it is about; null where it is about nothing. */
  readonly network: 'live' | 'test' | null
  readonly embeddedIn: string | null
  /** The accent color of the business, as `#rrggbb`; null for that of the style. */
  readonly accent: string | null
}

export function siteOf(
  { network, embeddedIn }: Place,
  manage: string,
  { publicUrl, payUrl, isSandbox, chains }: PaySettings,
): Site {
  const { origin, pathname } = new URL(publicUrl)
  // A browser may reach the same server by another name, and then calls it by that name.
  const api = origin === new URL(payUrl).origin ? pathname.replace(/\/$/, '') : publicUrl
  return { api, chain: (network && chains[network]) ?? '', manage, isSandbox, embeddedIn }
}
