import { z } from 'zod'
import { text } from '#http/input.ts'
import { RestSellersDocument } from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/marketplace-endpoint.ts'
import { flagParameter, nextCursor, nodesOf, pageParameters } from '#rest/marketplace/page.ts'

export const listSellers = marketplaceEndpoint({
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
})
