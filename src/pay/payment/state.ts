// What the page of a payment is rendered from.
import type { PaymentPageQuery, PaymentStateFragment } from '#pay/documents.generated.ts'

/** The details that a business may ask for, by a page of its own making: `?details=name,email`. */
export const DETAILS = ['name', 'email'] as const
export type Detail = (typeof DETAILS)[number]

export type PaymentState = {
  readonly clientSecret: string
  readonly payment: PaymentStateFragment
  /** The assets that can be selected. */
  readonly tokens: NonNullable<PaymentPageQuery['checkout']>['acceptedTokens']
  /** What each asset costs now, in base units. Null while nothing can be quoted. */
  readonly quotes: Readonly<Record<string, string>> | null
  /** The time in which a payment can be made, from its creation. */
  readonly windowSeconds: number
  /** The details that the business asks for. */
  readonly details: readonly Detail[]
}
