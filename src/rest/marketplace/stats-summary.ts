import { RestMarketplaceStatsSummaryDocument } from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/marketplace-endpoint.ts'
import { statsFilter, variablesOf } from '#rest/marketplace/stats-filter.ts'

export const marketplaceSummary = marketplaceEndpoint({
  method: 'GET',
  path: '/marketplace/stats/summary',
  document: RestMarketplaceStatsSummaryDocument,
  input: statsFilter,
  variables: variablesOf,
  reply: ({ stats }) => ({ body: stats }),
})
