// The time in which a payment can be made. Spec: "Limits".
import type { PaymentIntent } from '#core/payments/payment-intent.ts'

/** The reason of an intent whose window ended unpaid: a late selection is refused as expired, not as cancelled. */
export const WINDOW_ENDED = 'The checkout window ended before a payment arrived.'

export const isExpired = (intent: Pick<PaymentIntent, 'expiresAt'>, now: Date): boolean => now >= intent.expiresAt

/** Returns the seconds until the checkout window ends, rounded up; 0 after its end. */
export const secondsLeft = ({ expiresAt }: Pick<PaymentIntent, 'expiresAt'>, now: Date): number =>
  Math.max(0, Math.ceil((expiresAt.getTime() - now.getTime()) / 1_000))
