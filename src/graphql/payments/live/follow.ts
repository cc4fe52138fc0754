// One live stream of an intent: bounded, ended at once when its reader goes, and ended when its credential does.
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Context } from '#graphql/context.ts'
import type { Holder } from '#graphql/payments/live/streams.ts'

type Follow = {
  readonly intentId: string
  readonly holders: readonly Holder[]
  /** Asked before each delivery; throws once the reader may no longer see the intent. */
  readonly stillAllowed: () => Promise<void>
}

/**
 * Takes a place, then delivers the intent as it stands and each later state. Throws `rate_limited` when a holder has
 * no place left. Gives the place back when the request ends. Not an async generator, because its `return` would wait for the next change before it gave way.
 */
export function follow(
  { live, streams, signal }: Pick<Context, 'live' | 'streams' | 'signal'>,
  { intentId, holders, stillAllowed }: Follow,
): AsyncIterableIterator<PaymentIntent> {
  const stream = streams.open(holders, signal)
  const changes = live.follow(intentId, stream.signal)[Symbol.asyncIterator]()
  // A source that rests between two changes notices no signal; this ends it where it stands.
  const leave = () => void changes.return?.().catch(() => undefined)
  if (stream.signal.aborted) leave()
  else stream.signal.addEventListener('abort', leave, { once: true })
  const end = (): IteratorResult<PaymentIntent> => {
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
        const change = await changes.next()
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
