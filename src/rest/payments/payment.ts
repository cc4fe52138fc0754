// A payment as requests send it and as answers show it.
import { z } from 'zod'
import { body, sent, shownAs, text } from '#http/input.ts'
import type { CustomerDetailsBodyFragment, CustomerInput, IntentStatus } from '#rest/documents.generated.ts'

const optional = text.nullish()
/** Judged by the service, exactly as it is. */
export const exact = z.string('must be a string').nullish()

/** The buyer's details: left out is untouched, null clears. */
export const customerFields = {
  first_name: optional,
  last_name: optional,
  email: exact,
  address: body({
    line1: optional,
    line2: optional,
    city: optional,
    state: optional,
    postal_code: optional,
    country: exact,
  }).nullish(),
}

type Customer = z.infer<z.ZodObject<typeof customerFields>>

export const customerInput = ({ first_name, last_name, email, address }: Customer): CustomerInput =>
  sent({ firstName: first_name, lastName: last_name, email, address: address && addressInput(address) })

const addressInput = ({ postal_code, ...lines }: NonNullable<Customer['address']>) =>
  sent({ ...lines, postalCode: postal_code })

/** The fields of a payment that are shown as null; every other field without a value is left out. Spec: "PaymentIntent". */
const NULLABLE: ReadonlySet<string> = new Set([
  'mint',
  'mint_decimals',
  'expected_lamports',
  'reference',
  'refund_sender',
])

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)

/** Returns the fields that have a value: not null, and not an empty list. */
function present<T extends object>(fields: T, alsoNull: ReadonlySet<string> = new Set()): Partial<T> {
  const kept: Partial<T> = {}
  for (const name in fields) if (alsoNull.has(name) || !isEmpty(fields[name])) kept[name] = fields[name]
  return kept
}

export const customerDetailsBody = ({ address, ...names }: CustomerDetailsBodyFragment) => ({
  ...present(names),
  ...(address && { address: present(address) }),
})

type Payment = { readonly customer_details: CustomerDetailsBodyFragment | null }

const bodyOf = <T extends Payment>({ customer_details, ...payment }: T, alsoNull: ReadonlySet<string>) => ({
  ...present(payment, alsoNull),
  ...(customer_details && { customer_details: customerDetailsBody(customer_details) }),
})

/** Returns the body of an answer. Spec: "PaymentIntent" and "Status response". */
export const paymentBody = <T extends Payment>(payment: T) => bodyOf(payment, NULLABLE)

/** Also shown as null on a payment for a seller. Spec: "Marketplace resources". */
const ALSO_NULLABLE: ReadonlySet<string> = new Set([...NULLABLE, 'ticker', 'seller_account_id', 'seller'])

/** Returns the body of an answer. Spec: "Marketplace resources". */
export const marketplacePaymentBody = <T extends Payment>(payment: T) => bodyOf(payment, ALSO_NULLABLE)

/** Every status: the type refuses one that is forgotten. */
const STATUSES = {
  pending: 'pending',
  underpaid: 'underpaid',
  paid: 'paid',
  overpaid: 'overpaid',
  settling: 'settling',
  swept: 'swept',
  refunding: 'refunding',
  refunded: 'refunded',
  cancelled: 'cancelled',
  settle_failed: 'settle_failed',
  refund_failed: 'refund_failed',
} as const satisfies { readonly [Status in IntentStatus]: Status }

const NAMES = Object.keys(STATUSES)
const RULE = `must be one or more of ${NAMES.join(', ')}, with commas between them`

/** A query parameter that is one status, or several with commas between them. */
export const statuses = z
  .string(RULE)
  .meta(shownAs({ type: 'array', items: { type: 'string', enum: NAMES } }))
  .transform((list) => list.split(','))
  .pipe(z.array(z.enum(STATUSES, RULE), RULE).max(NAMES.length, `must name at most ${NAMES.length} statuses`))

const METADATA = /^metadata\[(?<key>.*)\]$/s

/** Gathers the query parameters `metadata[key]` into `metadata`, which is null when there are none. */
export function withMetadata<Query extends Readonly<Record<string, unknown>>>(query: Query, context: z.RefinementCtx) {
  const entries: [string, string][] = []
  for (const [name, value] of Object.entries(query)) {
    const key = METADATA.exec(name)?.groups?.key
    if (key === undefined) continue
    if (typeof value === 'string') entries.push([key, value])
    else context.addIssue({ code: 'custom', path: [name], message: 'must be given once' })
  }
  return { ...query, metadata: entries.length === 0 ? null : Object.fromEntries(entries) }
}
