// Details of a buyer. In inputs a field that is left out is untouched and null clears it.

import { ServiceError } from '#core/errors.ts'
import type { CustomerPatch } from '#core/payments/customer-details.ts'
import {
  type CustomerDetails as CustomerDetailsShape,
  LINE_CENTS,
  LINE_QUANTITY,
  type LineItem,
  MAX_LINE_ITEMS,
  MAX_LINE_NAME,
  type OrderDetails,
  type PostalAddress as PostalAddressShape,
} from '#core/payments/intent-values.ts'
import { hasAtMost } from '#core/text.ts'
import { builder } from '#graphql/builder.ts'

const PostalAddress = builder.objectRef<PostalAddressShape>('PostalAddress').implement({
  description: 'The postal address of a buyer.',
  fields: (t) => ({
    line1: t.exposeString('line1', { nullable: true, description: 'The first line of the street address.' }),
    line2: t.exposeString('line2', { nullable: true, description: 'The second line of the street address.' }),
    city: t.exposeString('city', { nullable: true, description: 'The city.' }),
    state: t.exposeString('state', { nullable: true, description: 'The state, province or region.' }),
    postalCode: t.exposeString('postal_code', { nullable: true, description: 'The postal code.' }),
    country: t.exposeString('country', { nullable: true, description: 'The country, as an ISO 3166-1 alpha-2 code.' }),
  }),
})

export const CustomerDetails = builder.objectRef<CustomerDetailsShape>('CustomerDetails').implement({
  description: 'The details of a buyer, as far as they were collected.',
  fields: (t) => ({
    firstName: t.exposeString('first_name', { nullable: true, description: 'The first name.' }),
    lastName: t.exposeString('last_name', { nullable: true, description: 'The last name.' }),
    email: t.exposeString('email', { nullable: true, description: 'The e-mail address.' }),
    address: t.expose('address', { type: PostalAddress, nullable: true, description: 'The postal address.' }),
  }),
})

const PostalAddressInput = builder.inputType('PostalAddressInput', {
  description: 'A postal address to store. A field that is left out stays as it is. Null clears a field.',
  fields: (t) => ({
    line1: t.field({ type: 'FormText', description: 'The first line of the street address.' }),
    line2: t.field({ type: 'FormText', description: 'The second line of the street address.' }),
    city: t.field({ type: 'FormText', description: 'The city.' }),
    state: t.field({ type: 'FormText', description: 'The state, province or region.' }),
    postalCode: t.field({ type: 'FormText', description: 'The postal code.' }),
    // Any string, because what is no code is refused as one.
    country: t.string({ description: 'The country, as an ISO 3166-1 alpha-2 code.' }),
  }),
})

type PostalAddressFields = typeof PostalAddressInput.$inferInput
type CustomerFields = typeof CustomerInput.$inferInput

/** Keeps the difference between a field that was left out and one that was cleared. */
export const customerPatchOf = ({ firstName, lastName, email, address }: CustomerFields): CustomerPatch => ({
  ...sent({ first_name: firstName, last_name: lastName, email }),
  ...(address === undefined ? {} : { address: address === null ? null : addressPatchOf(address) }),
})

const addressPatchOf = ({ postalCode, ...lines }: PostalAddressFields) => sent({ ...lines, postal_code: postalCode })

/** Drops what was not sent, so that spreading it overwrites nothing. */
function sent<T extends object>(fields: T): T {
  const kept = { ...fields }
  for (const name in kept) if (kept[name] === undefined) Reflect.deleteProperty(kept, name)
  return kept
}

export const CustomerInput = builder.inputType('CustomerInput', {
  description: 'Details of a buyer to store. A field that is left out stays as it is. Null clears a field.',
  fields: (t) => ({
    firstName: t.field({ type: 'FormText', description: 'The first name.' }),
    lastName: t.field({ type: 'FormText', description: 'The last name.' }),
    // Any string, because what is no address is refused as one.
    email: t.string({ description: 'The e-mail address.' }),
    address: t.field({ type: PostalAddressInput, description: 'The postal address.' }),
  }),
})

// What a business says to the buyer of a payment: the order, and where the buyer goes after it.

const NAME = 'What is bought, in one line.'
const QUANTITY = 'How many of it.'
const CENTS = 'The amount of the whole line in US cents.'

export const LineItemType = builder.objectRef<LineItem>('LineItem').implement({
  description: 'A line of an order. Lines need not add up: the price of the payment is charged.',
  fields: (t) => ({
    name: t.exposeString('name', { description: NAME }),
    quantity: t.exposeInt('quantity', { description: QUANTITY }),
    amountUsdCents: t.exposeInt('amountUsdCents', { description: CENTS }),
  }),
})

const range = ({ min, max }: { readonly min: number; readonly max: number }): string => `from ${min} to ${max}`

export const LineItemInput = builder.inputType('LineItemInput', {
  description: 'A line of an order to show to the buyer.',
  fields: (t) => ({
    name: t.field({ type: 'Line', required: true, description: `${NAME} At most ${MAX_LINE_NAME} characters.` }),
    quantity: t.int({ required: true, description: `${QUANTITY} An integer ${range(LINE_QUANTITY)}.` }),
    amountUsdCents: t.int({ required: true, description: `${CENTS} An integer ${range(LINE_CENTS)}.` }),
  }),
})

type Given = {
  readonly description?: string | null
  readonly lineItems?: readonly LineItem[] | null
  readonly successUrl?: string | null
  readonly cancelUrl?: string | null
}

/** Returns the details, as they were sent. Throws `invalid_request` for a number out of range, for too many lines, and for a name that is too long. */
export function orderDetailsOf({ description, lineItems, successUrl, cancelUrl }: Given): OrderDetails {
  const lines = lineItems ?? []
  if (lines.length > MAX_LINE_ITEMS) refuse('line_items', `must have at most ${MAX_LINE_ITEMS} entries`)
  for (const { name, quantity, amountUsdCents } of lines) {
    if (!hasAtMost(MAX_LINE_NAME, name)) refuse('name', `must have at most ${MAX_LINE_NAME} characters`)
    if (quantity < LINE_QUANTITY.min) refuse('quantity', `must be ${range(LINE_QUANTITY)}`)
    if (amountUsdCents < LINE_CENTS.min) refuse('amount_usd_cents', `must be ${range(LINE_CENTS)}`)
  }
  return {
    description: description ?? null,
    lineItems: lines,
    successUrl: successUrl ?? null,
    cancelUrl: cancelUrl ?? null,
  }
}

function refuse(field: string, rule: string): never {
  throw new ServiceError('invalid_request', { field, rule })
}
