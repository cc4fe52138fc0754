// Warns on mainnet about settings that are meant for trying the service.
import type { Config } from '#config/config.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'

/** Returns a line for each setting that lowers a guard of the service on mainnet; none on any other network. */
export function remarksOnMainnet(
  { server, webhooks }: Pick<Config, 'server' | 'webhooks'>,
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
  ]
}
