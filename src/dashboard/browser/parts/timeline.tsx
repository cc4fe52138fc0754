// Everything that has happened to a thing, the oldest first, with the webhooks of each event.
import type { ComponentChildren } from 'preact'
import type { Fault } from '#dashboard/browser/fault.ts'
import { Card, FaultNotice, Time } from '#dashboard/browser/parts/basics.tsx'
import { Transaction } from '#dashboard/browser/parts/chain.tsx'
import { DeliveryList } from '#dashboard/browser/parts/deliveries.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import type { DashboardDeliveryAttemptsFragment } from '#dashboard/documents.generated.ts'

/** Something that has happened. What caused it is before it, also in the same second. */
export type Moment = {
  readonly key: string
  readonly at: string
  readonly place: number
  readonly what: string
  readonly signature: string | null
  readonly more: ComponentChildren
}

const SECOND = '2026-01-01T00:00:00'.length
/** The times of a second come from several clocks. */
const inOrder = (a: Moment, b: Moment): number =>
  a.at.slice(0, SECOND).localeCompare(b.at.slice(0, SECOND)) || a.place - b.place

type Delivery = DashboardDeliveryAttemptsFragment & { readonly eventId: string }
type Page = { readonly edges: readonly { readonly node: Delivery }[] }

/** Returns what shows the webhooks of an event. */
export function webhooksIn(deliveries: Page | undefined): (eventId: string) => ComponentChildren {
  const byEvent = Map.groupBy(
    (deliveries?.edges ?? []).map(({ node }) => node),
    ({ eventId }) => eventId,
  )
  return (eventId) => {
    const own = byEvent.get(eventId) ?? []
    return own.length > 0 && <DeliveryList deliveries={own} />
  }
}

type TimelineProps = {
  readonly moments: readonly Moment[]
  readonly fault: Fault | null
  /** What is not shown. */
  readonly children?: ComponentChildren
}

export function Timeline({ moments, fault, children }: TimelineProps) {
  const { say } = useWords()
  return (
    <Card title={say('timeline')}>
      <FaultNotice fault={fault} />
      {children}
      <ol class="timeline">
        {moments.toSorted(inOrder).map(({ key, at, what, signature, more }) => (
          <li key={key}>
            <Time iso={at} isExact />
            <div>
              <p>
                {what} {signature !== null && <Transaction signature={signature} />}
              </p>
              {more}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}
