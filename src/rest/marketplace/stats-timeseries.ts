import { z } from 'zod'
import { keyText } from '#http/input.ts'
import { RestMarketplaceStatsTimeseriesDocument } from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/marketplace-endpoint.ts'
import { statsFilter, variablesOf } from '#rest/marketplace/stats-filter.ts'

const INTERVALS = ['hour', 'day', 'week', 'month'] as const

export const marketplaceTimeseries = marketplaceEndpoint({
  method: 'GET',
  path: '/marketplace/stats/timeseries',
  document: RestMarketplaceStatsTimeseriesDocument,
  input: statsFilter.extend({
    interval: z.enum(INTERVALS, `must be one of ${INTERVALS.join(', ')}`).default('day'),
    timezone: keyText.default('UTC'),
  }),
  variables: ({ interval, timezone, ...filter }) => ({ ...variablesOf(filter), interval, timezone }),
  reply: ({ timeseries }) => ({ body: timeseries }),
})
