// The input that products and tiers share.
import { CatalogueStatusEnum } from '#graphql/billing/catalogue-status.ts'
import { metadataOf } from '#graphql/billing/metadata.ts'
import { builder } from '#graphql/builder.ts'

/** Takes any string: a text that is no id gets the same answer as an id that nothing has. */
export const idOf = (noun: string) => ({ required: true, description: `The \`uuid\` of the ${noun}.` }) as const

export const DESCRIPTION = { description: 'The description, of at most 2,000 characters.' } as const
export const METADATA = {
  type: 'JSONObject',
  description: 'Data of the business: an object of at most 50 keys. It is replaced as a whole.',
} as const

/** Declares the input of a change. `status`: what the two values do. */
export const catalogueChangeInput = (name: string, status: string) =>
  builder.inputType(name, {
    description: 'The fields to change. A field that is left out is untouched; null clears it.',
    fields: (t) => ({
      name: t.string({ description: 'The name. Null leaves it untouched.' }),
      description: t.string(DESCRIPTION),
      status: t.field({ type: CatalogueStatusEnum, description: `${status} Null leaves it untouched.` }),
      metadata: t.field(METADATA),
    }),
  })

type Given = ReturnType<typeof catalogueChangeInput>['$inferInput']

/** Returns the change as the services take it: a field that is left out stays left out. */
export const catalogueChangeOf = ({ name, description, status, metadata }: Given) => ({
  name: name ?? undefined,
  description,
  status: status ?? undefined,
  ...(metadata !== undefined && { metadata: metadataOf(metadata) }),
})
