// What a business says to the buyer of a payment: the order, and where the buyer goes after it.
import { ServiceError } from '#core/errors.ts'
import {
  LINE_CENTS,
  LINE_QUANTITY,
  type LineItem,
  MAX_LINE_ITEMS,
  MAX_LINE_NAME,
  type OrderDetails,
} from '#core/payments/intent-values.ts'
import { hasAtMost } from '#core/text.ts'
import { builder } from '#graphql/builder.ts'

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
