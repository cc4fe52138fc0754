import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { keyText } from '#http/input.ts'
import { RestMarketplaceStatsTimeseriesDocument } from '#rest/documents.generated.ts'
import { statsFilter, variablesOf } from '#rest/marketplace/stats-filter.ts'

const INTERVALS = ['hour', 'day', 'week', 'month'] as const

export const marketplaceTimeseries = endpoint({
  method: 'GET',
  path: '/marketplace/stats/timeseries',
  credential: 'key',
  document: RestMarketplaceStatsTimeseriesDocument,
  input: statsFilter.extend({
    interval: z.enum(INTERVALS, `must be one of ${INTERVALS.join(', ')}`).default('day'),
    timezone: keyText.default('UTC'),
  }),
  variables: ({ interval, timezone, ...filter }) => ({ ...variablesOf(filter), interval, timezone }),
  reply: ({ timeseries }) => ({ body: timeseries }),
})
