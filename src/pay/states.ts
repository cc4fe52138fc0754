// What the page of a payment is rendered from.
import type {
  CheckoutStateFragment,
  PayBrandFragment,
  PaymentPageQuery,
  PaymentQuoteQuery,
  PaymentStateFragment,
  PortalStateFragment,
} from './documents.generated.ts'

/** The details that a business may ask for, by a page of its own making: `?details=name,email`. */
export const DETAILS = ['name', 'email'] as const
export type Detail = (typeof DETAILS)[number]

/** By the asset: the amount in base units, or the code of docs/errors.md that says why the price cannot be paid in it. */
export type Quotes = Readonly<Record<string, { readonly expectedAmount: string } | { readonly code: string }>>

export const quotesOf = ({ quotes, unquoted }: NonNullable<PaymentQuoteQuery['quote']>): Quotes =>
  Object.fromEntries([...quotes, ...unquoted].map(({ asset, ...quoted }) => [asset, quoted]))

/** What is bought, and where the buyer goes after it. It does not change. */
export type Order = Pick<
  NonNullable<PaymentPageQuery['checkout']>,
  'reference' | 'description' | 'lineItems' | 'successUrl' | 'cancelUrl'
>

export type PaymentState = {
  readonly clientSecret: string
  readonly payment: PaymentStateFragment
  readonly order: Order
  readonly brand: PayBrandFragment
  /** The assets that can be selected. */
  readonly tokens: NonNullable<PaymentPageQuery['checkout']>['acceptedTokens']
  /** What each asset costs now. Null while nothing can be quoted. */
  readonly quotes: Quotes | null
  /** The time in which a payment can be made, from its creation. */
  readonly windowSeconds: number
  /** The details that the business asks for. */
  readonly details: readonly Detail[]
}

// What the pages of subscriptions are rendered from.

export type CheckoutState = {
  readonly token: string
  readonly checkout: CheckoutStateFragment
  /** The ticker of the token of the charges. */
  readonly ticker: string
}

export type PortalState = {
  readonly token: string
  readonly portal: PortalStateFragment
  readonly ticker: string
}

export type RecoveryState = Readonly<Record<string, never>>
