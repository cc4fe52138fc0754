// The two networks of a deployment.
import { builder } from '#graphql/builder.ts'
import { NETWORK_VALUES } from '#graphql/enum-values.ts'

export const NetworkEnum = builder.enumType('Network', {
  description: 'One of the two networks of a deployment. The mode of an account decides which one its payments use.',
  values: NETWORK_VALUES,
})
