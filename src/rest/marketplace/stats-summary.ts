import { endpoint } from '#http/endpoint.ts'
import { RestMarketplaceStatsSummaryDocument } from '#rest/documents.generated.ts'
import { statsFilter, variablesOf } from '#rest/marketplace/stats-filter.ts'

export const marketplaceSummary = endpoint({
  method: 'GET',
  path: '/marketplace/stats/summary',
  credential: 'key',
  document: RestMarketplaceStatsSummaryDocument,
  input: statsFilter,
  variables: variablesOf,
  reply: ({ stats }) => ({ body: stats }),
})
