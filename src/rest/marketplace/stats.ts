// The figures of a marketplace.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { keyText, timeParameter } from '#http/input.ts'
import {
  RestMarketplaceStatsSummaryDocument,
  RestMarketplaceStatsTimeseriesDocument,
} from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/endpoint.ts'

const statsFilter = z.object({
  from: timeParameter.optional(),
  to: timeParameter.optional(),
  seller_id: z.string('must be given once').optional(),
})

const variablesOf = ({ from, to, seller_id }: z.infer<typeof statsFilter>) => ({
  from: from ?? null,
  to: to ?? null,
  sellerId: seller_id ?? null,
})

const INTERVALS = ['hour', 'day', 'week', 'month'] as const

export const statsEndpoints: readonly Endpoint[] = [
  marketplaceEndpoint({
    method: 'GET',
    path: '/marketplace/stats/summary',
    document: RestMarketplaceStatsSummaryDocument,
    input: statsFilter,
    variables: variablesOf,
    reply: ({ stats }) => ({ body: stats }),
  }),
  marketplaceEndpoint({
    method: 'GET',
    path: '/marketplace/stats/timeseries',
    document: RestMarketplaceStatsTimeseriesDocument,
    input: statsFilter.extend({
      interval: z.enum(INTERVALS, `must be one of ${INTERVALS.join(', ')}`).default('day'),
      timezone: keyText.default('UTC'),
    }),
    variables: ({ interval, timezone, ...filter }) => ({ ...variablesOf(filter), interval, timezone }),
    reply: ({ timeseries }) => ({ body: timeseries }),
  }),
]
