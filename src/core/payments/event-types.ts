// The event types that a deployment can emit, listed by GET /config. Spec: "Events".

export const INTENT_EVENT_TYPES = [
  'intent.created',
  'intent.token_selected',
  'intent.underpaid',
  'intent.paid',
  'intent.overpaid',
  'intent.settling',
  'intent.swept',
  'intent.settlement_updated',
  'intent.settle_failed',
  'intent.cancelled',
  'intent.refunding',
  'intent.refunded',
  'intent.refund_failed',
  'intent.late_payment',
  'intent.token_refund_updated',
  'intent.held_released',
] as const
export type IntentEventType = (typeof INTENT_EVENT_TYPES)[number]
