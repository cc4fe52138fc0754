// Webhooks in lists.
import { Time } from '#dashboard/browser/parts/basics.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import type { DashboardDeliveryAttemptsFragment, DashboardDeliveryFragment } from '#dashboard/documents.generated.ts'

const TONES: Readonly<Record<DashboardDeliveryFragment['status'], string>> = {
  pending: 'waiting',
  succeeded: 'good',
  failed: 'bad',
}

export function DeliveryStatus({ delivery }: { delivery: DashboardDeliveryFragment }) {
  const { say } = useWords()
  const { status, lastStatusCode, lastError } = delivery
  return (
    <span class={`badge ${TONES[status]}`} title={lastError ?? undefined}>
      {say(`delivery_${status}`)} {lastStatusCode}
    </span>
  )
}

/** The webhooks of an event, each with its attempts. */
export function DeliveryList({ deliveries }: { deliveries: readonly DashboardDeliveryAttemptsFragment[] }) {
  const { formats } = useWords()
  return (
    <ul class="deliveries">
      {deliveries.map((delivery) => (
        <li key={delivery.uuid}>
          <details>
            <summary>
              <span>Webhook</span> <DeliveryStatus delivery={delivery} /> <code dir="ltr">{delivery.url}</code>
            </summary>
            <ol>
              {delivery.attempts.map(({ number, startedAt, durationMs, responseStatus, error }) => (
                <li key={number}>
                  <Time iso={startedAt} isExact /> · {formats.number(durationMs)} ms · {error ?? responseStatus}
                </li>
              ))}
            </ol>
          </details>
        </li>
      ))}
    </ul>
  )
}
