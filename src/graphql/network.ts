// The two networks of a deployment.
import type { Network } from '#core/chain/types.ts'
import { builder } from '#graphql/builder.ts'

export const NetworkEnum = builder.enumType('Network', {
  description: 'One of the two networks of a deployment. The mode of an account decides which one its payments use.',
  values: {
    live: { description: 'The network of live accounts, with keys that begin with `sk_live_`.' },
    test: { description: 'The network of test accounts, with keys that begin with `sk_test_`.' },
  } satisfies Record<Network, { readonly description: string }>,
})
