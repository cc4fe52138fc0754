// The products of a business.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { body, sent } from '#http/input.ts'
import { billingEndpoint } from '#rest/billing/endpoints.ts'
import {
  catalogueStatus,
  description,
  immutable,
  metadata,
  name,
  pageParameters,
  searchParameters,
} from '#rest/billing/fields.ts'
import {
  RestArchiveSubscriptionProductDocument,
  RestCreateSubscriptionProductDocument,
  RestFindSubscriptionProductDocument,
  RestSubscriptionProductsDocument,
  RestUpdateSubscriptionProductDocument,
} from '#rest/documents.generated.ts'
import { BY_ID, nextCursor, nodesOf } from '#rest/endpoints.ts'

export const productEndpoints: readonly Endpoint[] = [
  billingEndpoint({
    method: 'POST',
    path: '/subscription-products',
    document: RestCreateSubscriptionProductDocument,
    input: body({ name, description, external_id: z.string('invalid_external_id').nullish(), metadata }),
    variables: ({ external_id, ...input }) => ({ input: { ...input, externalId: external_id } }),
    reply: ({ result: { product, created } }) => ({ status: created ? 201 : 200, body: product }),
  }),
  billingEndpoint({
    method: 'GET',
    path: '/subscription-products',
    document: RestSubscriptionProductsDocument,
    input: z.object({ ...pageParameters, ...searchParameters, status: catalogueStatus.optional() }),
    variables: ({ limit, cursor, status, search, q }) => ({
      first: limit,
      after: cursor ?? null,
      filter: { status: status ?? null, search: search ?? q ?? null },
    }),
    reply: ({ products }) => ({ body: { products: nodesOf(products), next_cursor: nextCursor(products) } }),
  }),
  billingEndpoint({
    method: 'GET',
    path: '/subscription-products/:id',
    document: RestFindSubscriptionProductDocument,
    ...BY_ID,
    reply: ({ product }) => ({ body: product }),
  }),
  billingEndpoint({
    method: 'PATCH',
    path: '/subscription-products/:id',
    document: RestUpdateSubscriptionProductDocument,
    input: body({
      id: z.string(),
      external_id: immutable('product_field_immutable'),
      name: name.optional(),
      description,
      status: catalogueStatus.optional(),
      metadata,
    }),
    variables: ({ id, external_id: _, ...input }) => ({ id, input: sent(input) }),
    reply: ({ product }) => ({ body: product }),
  }),
  billingEndpoint({
    method: 'POST',
    path: '/subscription-products/:id/archive',
    document: RestArchiveSubscriptionProductDocument,
    ...BY_ID,
    reply: ({ product }) => ({ body: product }),
  }),
]
