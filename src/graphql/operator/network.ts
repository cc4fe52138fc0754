// The two networks of a deployment.
import { NETWORK_VALUES } from '#graphql/enum-values.ts'
import { builder } from '#graphql/operator/builder.ts'

export const NetworkEnum = builder.enumType('Network', {
  description: 'One of the two networks of a deployment. The mode of an account decides which one its payments use.',
  values: NETWORK_VALUES,
})
