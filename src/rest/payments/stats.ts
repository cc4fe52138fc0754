// The figures of a business.
import { z } from 'zod'
import { type Endpoint, endpoint } from '#http/endpoint.ts'
import { keyText, timeParameter } from '#http/input.ts'
import { RestStatsSummaryDocument, RestStatsTimeseriesDocument } from '#rest/documents.generated.ts'

export const statsRange = z.object({ from: timeParameter.optional(), to: timeParameter.optional() })

const INTERVALS = ['hour', 'day', 'week', 'month'] as const

/** How a range is divided. */
export const statsCalendar = {
  interval: z.enum(INTERVALS, `must be one of ${INTERVALS.join(', ')}`).default('day'),
  timezone: keyText.default('UTC'),
}

export const statsEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/stats/summary',
    credential: 'key',
    document: RestStatsSummaryDocument,
    input: statsRange,
    variables: ({ from = null, to = null }) => ({ from, to }),
    reply: ({ stats }) => ({ body: stats }),
  }),
  endpoint({
    method: 'GET',
    path: '/stats/timeseries',
    credential: 'key',
    document: RestStatsTimeseriesDocument,
    input: statsRange.extend(statsCalendar),
    variables: ({ from = null, to = null, ...calendar }) => ({ from, to, ...calendar }),
    reply: ({ timeseries }) => ({ body: timeseries }),
  }),
]
