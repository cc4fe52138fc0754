// What is bought, in the words of the business.
import type { Order } from '#pay/payment/state.ts'
import { usePage } from '#pay/views/context.tsx'

/** A longer reference is a key of a system, and no number that a person reads. */
const MAX_REFERENCE = 64
/** More lines are folded away, so that the ways to pay stay in sight. */
const SHOWN_LINES = 4

export function OrderView({ order: { reference, description, lineItems } }: { order: Order }) {
  const { say, formats } = usePage()
  return (
    <>
      {description && (
        <p class="description">
          <bdi>{description}</bdi>
        </p>
      )}
      {reference !== null && reference.length <= MAX_REFERENCE && <p class="hint">{say('order', { reference })}</p>}
      {lineItems.length > 0 && (
        <details open={lineItems.length <= SHOWN_LINES}>
          <summary>{say('orderDetails')}</summary>
          <ul class="lines">
            {lineItems.map(({ name, quantity, amountUsdCents }, at) => (
              <li key={at}>
                <span>
                  {quantity > 1 && `${formats.number(quantity)} × `}
                  <bdi>{name}</bdi>
                </span>
                <span>{formats.dollars(amountUsdCents)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
