// Each edge names fields in its own way. Refusals carry the names of the REST interface, which is the specified one.
import type { FieldName } from '#graphql/errors/entry.ts'

/** Fields whose GraphQL name is not their REST name in camel case. */
const RENAMED = new Map([['accepted_tokens', 'acceptedAssets']])

/** Arguments of connections, as the lists of REST name them. */
const PAGE_NAMES = new Map([
  ['first', 'limit'],
  ['after', 'cursor'],
])

export const restName: FieldName = (field) => PAGE_NAMES.get(field) ?? field

export const graphqlName: FieldName = (field) => RENAMED.get(field) ?? camelCase(field)

const camelCase = (field: string): string =>
  field.replace(/_([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase())
