// What an embedded page of a payment reports to the widget that embeds it, by postMessage with exact origins.
import type { PaymentStateFragment } from '#pay/documents.generated.ts'

/** `height` is that of the page, in CSS pixels. */
export type WidgetMessage =
  | { readonly type: 'loaded' }
  | {
      readonly type: 'status'
      readonly status: PaymentStateFragment['status']
      readonly action: PaymentStateFragment['action']
    }
  | { readonly type: 'closed' }
  /** The person has pressed Escape on the page. */
  | { readonly type: 'escaped' }
  | { readonly type: 'resized'; readonly height: number }

/** Marks the messages of the widget among those of other scripts. */
export const WIDGET = 'solana-payment'

export type Envelope = { readonly from: typeof WIDGET; readonly message: WidgetMessage }

/** Messages come from another origin, and are read like every input from outside. */
export function isEnvelope(data: unknown): data is Envelope {
  if (typeof data !== 'object' || data === null || !('from' in data) || data.from !== WIDGET) return false
  if (!('message' in data) || typeof data.message !== 'object' || data.message === null) return false
  const { message } = data
  if (!('type' in message)) return false
  switch (message.type) {
    case 'loaded':
    case 'closed':
    case 'escaped':
      return true
    case 'status':
      return (
        'status' in message &&
        typeof message.status === 'string' &&
        'action' in message &&
        typeof message.action === 'string'
      )
    case 'resized':
      return 'height' in message && typeof message.height === 'number' && Number.isFinite(message.height)
    default:
      return false
  }
}
