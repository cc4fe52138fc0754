// Warns on mainnet about settings that are meant for trying the service, and about a key without which prices are missing.
import type { Config } from '#config/config.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'

/** Returns a line for each setting that lowers a guard of the service on mainnet, or leaves it without prices; none elsewhere. */
export function remarksOnMainnet(
  { server, webhooks, prices }: Pick<Config, 'server' | 'webhooks' | 'prices'>,
  networks: readonly { readonly genesisHash: string }[],
): readonly string[] {
  if (!networks.some(({ genesisHash }) => genesisHash === MAINNET_GENESIS_HASH)) return []
  return [
    ...(webhooks.allowPrivate
      ? ['Warning: WEBHOOK_ALLOW_PRIVATE is on, on mainnet: a business can reach addresses of your own network.']
      : []),
    ...(server.rateLimits
      ? []
      : ['Warning: RATE_LIMITS is off, on mainnet: nothing bounds how often a client asks but a gateway of your own.']),
    ...(server.introspection
      ? ['Warning: INTROSPECTION is on, on mainnet: anyone can read the schema, that of the operator included.']
      : []),
    ...(lacksPythKey(prices)
      ? [
          'Warning: PYTH_API_KEY is missing: Pyth gives no price, and a token that only one other feed prices, such as USDC, has no quote.',
        ]
      : []),
  ]
}

/** A Pyth server of one's own, at another address, needs no key. */
const lacksPythKey = ({ feeds, apiKeys }: Config['prices']): boolean =>
  feeds.kind === 'http' &&
  apiKeys.pyth === undefined &&
  feeds.feeds.some(({ name, baseUrl }) => name === 'pyth' && baseUrl === undefined)
