// What products and tiers share: their fields and the input of their changes.
import type { CatalogueStatus } from '#core/billing/catalogue.ts'
import { type CatalogueEntry, catalogueStatus } from '#core/billing/catalogue.ts'
import { ServiceError } from '#core/errors.ts'
import { isMetadata, type Metadata } from '#core/metadata.ts'
import type { InterfaceFieldsOf } from '#graphql/builder.ts'
import { builder } from '#graphql/builder.ts'

export const CatalogueStatusEnum = builder.enumType('CatalogueStatus', {
  description: 'Whether a product or a tier can have new checkouts.',
  values: {
    active: { description: 'It can have new checkouts.' },
    archived: { description: 'It has no new checkouts. Running subscriptions go on.' },
  } satisfies Record<CatalogueStatus, object>,
})

/** Returns the metadata to store; null clears. Throws `invalid_metadata`. */
export function metadataOf(given: object | null | undefined): Metadata {
  if (given === null || given === undefined) return {}
  if (!isMetadata(given)) throw new ServiceError('invalid_metadata')
  return given
}

type Catalogued = CatalogueEntry & { readonly createdAt: Date }

/** `status`: what its two values mean. */
export const catalogueFields = <Shape extends Catalogued>(
  t: InterfaceFieldsOf<Shape>,
  noun: string,
  status: string,
) => ({
  name: t.string({ description: `The name of the ${noun}.`, resolve: ({ name }) => name }),
  description: t.string({
    nullable: true,
    description: `The description of the ${noun}.`,
    resolve: ({ description }) => description,
  }),
  status: t.field({ type: CatalogueStatusEnum, description: status, resolve: (one) => catalogueStatus(one) }),
  metadata: t.field({
    type: 'JSONObject',
    description: 'Data of the business, as it was given. Subscribers see it.',
    resolve: ({ metadata }) => metadata,
  }),
  archivedAt: t.field({
    type: 'DateTimeISO',
    nullable: true,
    description: 'The time at which it was archived. Null while it is active.',
    resolve: ({ archivedAt }) => archivedAt,
  }),
  createdAt: t.field({
    type: 'DateTimeISO',
    description: 'The time of its creation.',
    resolve: ({ createdAt }) => createdAt,
  }),
  updatedAt: t.field({
    type: 'DateTimeISO',
    description: 'The time of the last change.',
    resolve: ({ updatedAt }) => updatedAt,
  }),
})

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
