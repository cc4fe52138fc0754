// The figures of a marketplace.
import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import {
  RestMarketplaceStatsSummaryDocument,
  RestMarketplaceStatsTimeseriesDocument,
} from '#rest/documents.generated.ts'
import { marketplaceEndpoint } from '#rest/marketplace/endpoint.ts'
import { statsCalendar, statsRange } from '#rest/payments/stats.ts'

const statsFilter = statsRange.extend({ seller_id: z.string('must be given once').optional() })

const variablesOf = ({ from, to, seller_id }: z.infer<typeof statsFilter>) => ({
  from: from ?? null,
  to: to ?? null,
  sellerId: seller_id ?? null,
})

export const marketplaceStatsEndpoints: readonly Endpoint[] = [
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
    input: statsFilter.extend(statsCalendar),
    variables: ({ interval, timezone, ...filter }) => ({ ...variablesOf(filter), interval, timezone }),
    reply: ({ timeseries }) => ({ body: timeseries }),
  }),
]
