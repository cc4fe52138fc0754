// The sellers of a marketplace, and their logos.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { address, body, imageField, jsonObject, keyText, line, sent, text } from '#http/input.ts'
import {
  RestArchiveSellerDocument,
  RestCreateSellerDocument,
  RestFindSellerDocument,
  RestRemoveSellerLogoDocument,
  RestSellersDocument,
  RestSetSellerLogoDocument,
  RestUpdateSellerDocument,
} from '#rest/documents.generated.ts'
import { BY_ID, flagParameter, nextCursor, nodesOf, pageParameters } from '#rest/endpoints.ts'
import { marketplaceEndpoint } from '#rest/marketplace/endpoint.ts'

const cleared = z.literal('').transform(() => null)
const RATE = 'must be an integer from 0 to 5000, or an empty string'
const ADDRESS = 'must be a Solana address, or an empty string'
const OBJECT = 'must be a JSON object'

/** The fields of a seller as a request sends them. An empty string clears what can be cleared, and so does null. */
const sellerFields = {
  description: text.transform((given) => (given === '' ? null : given)).nullish(),
  metadata: jsonObject(OBJECT).nullish(),
  label: z.union([cleared, line], 'must be one line of text, or an empty string').nullish(),
  sweep_destination: z.union([cleared, address], ADDRESS).nullish(),
  marketplace_fee_bps: z.union([cleared, z.int().min(0).max(5_000)], RATE).nullish(),
}

type SellerFields = z.infer<z.ZodObject<typeof sellerFields>>

const sellerInput = ({ sweep_destination, marketplace_fee_bps, ...fields }: SellerFields) =>
  sent({ ...fields, sweepDestination: sweep_destination, marketplaceFeeBps: marketplace_fee_bps })

export const sellerEndpoints: readonly Endpoint[] = [
  marketplaceEndpoint({
    method: 'GET',
    path: '/marketplace/sellers',
    document: RestSellersDocument,
    input: z.object({ ...pageParameters, search: text.optional(), include_archived: flagParameter }),
    variables: ({ limit, cursor, search, include_archived }) => ({
      first: limit,
      after: cursor ?? null,
      filter: { search: search ?? null, includeArchived: include_archived },
    }),
    reply: ({ sellers }) => ({ body: { sellers: nodesOf(sellers), next_cursor: nextCursor(sellers) } }),
  }),
  marketplaceEndpoint({
    method: 'POST',
    path: '/marketplace/sellers',
    document: RestCreateSellerDocument,
    input: body({ ...sellerFields, name: line, external_id: keyText.nullish() }),
    variables: ({ name, external_id, ...fields }) => ({
      input: { ...sellerInput(fields), name, externalId: external_id ?? null },
    }),
    reply: ({ result: { seller, created } }) => ({ status: created ? 201 : 200, body: { ...seller, created } }),
  }),
  marketplaceEndpoint({
    method: 'GET',
    path: '/marketplace/sellers/:id',
    document: RestFindSellerDocument,
    ...BY_ID,
    reply: ({ seller }) => ({ body: seller }),
  }),
  marketplaceEndpoint({
    method: 'PATCH',
    path: '/marketplace/sellers/:id',
    document: RestUpdateSellerDocument,
    input: body({ ...sellerFields, id: z.string(), name: line.optional() }),
    variables: ({ id, name, ...fields }) => ({ id, input: sent({ ...sellerInput(fields), name }) }),
    reply: ({ seller }) => ({ body: seller }),
  }),
  marketplaceEndpoint({
    method: 'DELETE',
    path: '/marketplace/sellers/:id',
    document: RestArchiveSellerDocument,
    ...BY_ID,
    reply: ({ seller }) => ({ body: seller }),
  }),
  marketplaceEndpoint({
    method: 'PUT',
    path: '/marketplace/sellers/:id/logo',
    takes: 'image',
    document: RestSetSellerLogoDocument,
    input: z.object({ id: z.string(), image: imageField }),
    variables: ({ id, image }) => ({ id, image }),
    reply: ({ seller }) => ({ body: seller }),
  }),
  marketplaceEndpoint({
    method: 'DELETE',
    path: '/marketplace/sellers/:id/logo',
    document: RestRemoveSellerLogoDocument,
    ...BY_ID,
    reply: ({ seller }) => ({ body: seller }),
  }),
]
