// What subscriptions bring: by month, in the next 30 days, and what fails.

import { useMemo } from 'preact/hooks'
import { useRead } from '#dashboard/browser/data.ts'
import { Card, Empty, Fact, Facts, Loading, Page, Table } from '#dashboard/browser/parts/basics.tsx'
import { BillingFault, BillingTabs } from '#dashboard/browser/parts/billing.tsx'
import { TIME_ZONE } from '#dashboard/browser/parts/periods.ts'
import { Plot } from '#dashboard/browser/parts/plot.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import {
  DashboardNowDocument,
  DashboardSubscriptionFiguresDocument,
  type DashboardSubscriptionFiguresQuery,
} from '#dashboard/documents.generated.ts'

type Figures = DashboardSubscriptionFiguresQuery
type Forecast = NonNullable<Figures['forecast']>
type Failures = NonNullable<Figures['failures']>
type Movement = NonNullable<Figures['movement']>
type Revenue = NonNullable<Figures['revenue']>['buckets']

/** Returns the begin of the month eleven months before, so that the year ends with the present month. */
function yearBefore(iso: string): string {
  const now = new Date(iso)
  return new Date(now.getFullYear(), now.getMonth() - 11, 1).toISOString()
}

export function SubscriptionFiguresPage() {
  const { say } = useWords()
  // The service says which time it is: the clock of a sandbox can be moved.
  const present = useRead(DashboardNowDocument, {})
  const now = present.data?.stats.end ?? null
  const { data, fault } = useRead(
    DashboardSubscriptionFiguresDocument,
    { from: now === null ? '' : yearBefore(now), timezone: TIME_ZONE },
    { pause: now === null },
  )
  return (
    <Page title={say('subscriptionFigures')}>
      <BillingTabs />
      <BillingFault fault={present.fault ?? fault} />
      {data === null && fault === null && present.fault === null && <Loading />}
      {data !== null && (
        <>
          <Next forecast={data.forecast} />
          <Months movement={data.movement} revenue={data.revenue.buckets} />
          <Failed failures={data.failures} />
        </>
      )}
    </Page>
  )
}

const sumOf = (cents: readonly string[]): string => String(cents.reduce((sum, one) => sum + BigInt(one), 0n))

function Next({ forecast }: { forecast: Forecast }) {
  const { say, formats, place, roughDollars } = useWords()
  const places = useMemo(() => forecast.map(({ start }) => place(start, false)), [forecast])
  const [due, covered] = useMemo(
    () => [forecast.map(({ usdCents }) => usdCents), forecast.map(({ coveredUsdCents }) => coveredUsdCents)] as const,
    [forecast],
  )
  const lines = useMemo(
    () => [
      { label: say('chargesCovered'), values: covered },
      { label: say('chargesDue'), values: due },
    ],
    [covered, due],
  )
  return (
    <Card title={say('next30Days')}>
      <Facts>
        <Fact label={say('chargesDue')}>
          <strong class="figure">{formats.dollars(sumOf(due))}</strong>
        </Fact>
        <Fact label={say('chargesCovered')}>
          <strong class="figure">{formats.dollars(sumOf(covered))}</strong>
        </Fact>
      </Facts>
      <p class="hint">{say('chargesCoveredText')}</p>
      {forecast.every(({ count }) => count === 0) ? (
        <Empty title={say('nothingDue')} />
      ) : (
        <Plot label={say('next30Days')} places={places} lines={lines} format={formats.dollars} brief={roughDollars} />
      )}
    </Card>
  )
}

function Months({ movement, revenue }: { movement: Movement; revenue: Revenue }) {
  const { say, formats, month, roughDollars } = useWords()
  const charged = new Map(revenue.map((bucket) => [bucket.start, bucket]))
  const places = useMemo(() => revenue.map(({ start }) => month(start)), [revenue])
  const lines = useMemo(
    () => [{ label: say('charged'), values: revenue.map(({ recurringUsdCents }) => recurringUsdCents ?? '0') }],
    [revenue],
  )
  return (
    <Card title={say('byMonth')}>
      <Plot label={say('charged')} places={places} lines={lines} format={formats.dollars} brief={roughDollars} />
      <Table
        label={say('byMonth')}
        rows={movement.toReversed()}
        keyOf={({ start }) => start}
        columns={[
          { label: say('aMonth'), cell: ({ start }) => month(start).name },
          {
            label: say('charged'),
            kind: 'number',
            cell: ({ start }) => formats.dollars(charged.get(start)?.recurringUsdCents ?? '0'),
          },
          {
            label: say('charges'),
            kind: 'number',
            cell: ({ start }) => formats.number(charged.get(start)?.chargesCount ?? 0),
          },
          { label: say('newSubscriptions'), kind: 'number', cell: ({ begun }) => formats.number(begun) },
          { label: say('lostSubscriptions'), kind: 'number', cell: ({ ended }) => formats.number(ended) },
        ]}
      />
    </Card>
  )
}

function Failed({ failures }: { failures: Failures }) {
  const { say, formats } = useWords()
  return (
    <Card title={say('failedCharges')}>
      {failures.length === 0 ? (
        <Empty title={say('noFailures')} />
      ) : (
        <Table
          label={say('failedCharges')}
          rows={failures}
          keyOf={({ failureCode }) => failureCode}
          columns={[
            { label: say('reason'), cell: ({ failureCode }) => say(failureCode) },
            { label: say('charges'), kind: 'number', cell: ({ count }) => formats.number(count) },
            { label: say('amount'), kind: 'number', cell: ({ usdCents }) => formats.dollars(usdCents) },
          ]}
        />
      )}
    </Card>
  )
}
