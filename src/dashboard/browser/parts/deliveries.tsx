// Webhooks in lists.
import { useWords } from '#dashboard/browser/say.tsx'
import type { DashboardDeliveryFragment } from '#dashboard/documents.generated.ts'

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
