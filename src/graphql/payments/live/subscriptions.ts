// Live status, over a websocket or as server-sent events.

import { ServiceError } from '#core/errors.ts'
import { builder } from '#graphql/builder.ts'
import { businessOf, type Context, requireStill, withSecret } from '#graphql/context.ts'
import { Checkout } from '#graphql/payments/checkout-type.ts'
import { type Holder, holdersOfAccount, holdersOfIntent } from '#graphql/payments/live/streams.ts'
import { PaymentIntentNode } from '#graphql/payments/payment-intent.ts'

builder.subscriptionFields((t) => ({
  paymentIntentUpdated: t.field({
    type: PaymentIntentNode,
    description: 'A payment of the business as it is, then every change of it.',
    args: { index: t.arg.int({ required: true, description: 'The `derivationIndex` of the payment.' }) },
    subscribe: async (_root, { index }, context) => {
      const tenant = await businessOf(context, 'payments-view')
      const { id } = await context.services.intents.findByIndex(tenant, index)
      const stillAllowed = () => requireStill(context, 'payments-view')
      const open = (signal: AbortSignal) => context.live.follow(id, signal)
      return follow(context, { open, holders: holdersOfAccount(tenant.accountId), stillAllowed })
    },
    resolve: (intent) => intent,
  }),
  checkoutUpdated: t.field({
    type: Checkout,
    description: 'The payment of a client secret as it is, then every change of it.',
    args: { clientSecret: t.arg.string({ required: true, description: 'The client secret of the payment.' }) },
    subscribe: async (_root, { clientSecret }, context) => {
      const intent = await withSecret(context, clientSecret, (intents) => intents.checkoutStatus(clientSecret))
      return follow(context, {
        open: (signal) => context.live.follow(intent.id, signal),
        holders: holdersOfIntent(intent, context.address),
        // A client secret is never revoked, so there is nothing to ask again.
        stillAllowed: () => Promise.resolve(),
      })
    },
    resolve: (intent) => intent,
  }),
}))

type Follow<Change> = {
  /** Opens the source. It ends when the signal aborts. */
  readonly open: (signal: AbortSignal) => AsyncIterable<Change>
  readonly holders: readonly Holder[]
  /** Asked before each delivery and while none comes; throws once the reader may no longer see the changes. */
  readonly stillAllowed: () => Promise<void>
}

/** In milliseconds. A stream without changes ends within this time after its reader is refused. */
export const ASK_AGAIN_MS = 30_000

/**
 * Takes a place, then delivers each change of the source. Throws `rate_limited` when a holder has no place left. Gives the
 * place back when the request ends. Not an async generator, because its `return` would wait for the next change before it
 * gave way.
 */
export function follow<Change>(
  { streams, signal }: Pick<Context, 'streams' | 'signal'>,
  { open, holders, stillAllowed }: Follow<Change>,
): AsyncIterableIterator<Change> {
  const stream = streams.open(holders, signal)
  const changes = open(stream.signal)[Symbol.asyncIterator]()
  // A source that rests between two changes notices no signal; this ends it where it stands.
  const leave = () => void changes.return?.().catch(() => undefined)
  if (stream.signal.aborted) leave()
  else stream.signal.addEventListener('abort', leave, { once: true })
  const end = (): IteratorResult<Change> => {
    stream.close()
    return { done: true, value: undefined }
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      if (stream.signal.aborted) return end()
      try {
        const change = await whileAllowed(stillAllowed, changes.next())
        if (change.done || stream.signal.aborted) return end()
        await stillAllowed()
        return change
      } catch (error) {
        end()
        throw error
      }
    },
    return: () => Promise.resolve(end()),
    throw(error) {
      end()
      return Promise.reject(error)
    },
  }
}

/** Waits for a change. Throws as `stillAllowed` does when it refuses in the meantime. */
async function whileAllowed<T>(stillAllowed: () => Promise<void>, change: Promise<T>): Promise<T> {
  const refusal = Promise.withResolvers<never>()
  const ask = () =>
    stillAllowed().catch((error) => {
      // A question that failed is no refusal: it is asked again.
      if (error instanceof ServiceError) refusal.reject(error)
    })
  const timer = setInterval(ask, ASK_AGAIN_MS)
  try {
    return await Promise.race([change, refusal.promise])
  } finally {
    clearInterval(timer)
  }
}
