// The two networks of a deployment.
import { NETWORKS } from '#core/chain/types.ts'
import { builder } from '#graphql/operator/builder.ts'

export const NetworkEnum = builder.enumType('Network', {
  values: NETWORKS,
  description: 'Where live accounts and where test accounts settle.',
})
