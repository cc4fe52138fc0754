// The businesses' webhook receivers: they record the events, and do not always confirm them.
import type { WebhookSender } from '#ports/events.ts'
import type { Ground } from './world.ts'

export type Receivers = {
  readonly sender: WebhookSender
  /** Event ids, in the order in which they were first received, by endpoint. */
  readonly received: ReadonlyMap<string, readonly string[]>
}

const OK = { kind: 'answered', statusCode: 200, headers: {}, body: '' } as const

export function createReceivers({ faults }: Ground): Receivers {
  const received = new Map<string, string[]>()
  return {
    received,
    sender: {
      async send({ url, headers }) {
        if (faults.strikes('webhook refused')) return { kind: 'answered', statusCode: 500, headers: {}, body: '' }
        const id = headers['webhook-id'] ?? ''
        const known = received.get(url) ?? []
        if (!known.includes(id)) received.set(url, [...known, id])
        return faults.strikes('webhook answer lost') ? { kind: 'unanswered', reason: 'timeout' } : OK
      },
    },
  }
}
