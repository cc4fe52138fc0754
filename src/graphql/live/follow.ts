// One live stream of an intent: bounded, ended at once when its reader goes, and ended when its credential does.
import type { PaymentIntent } from '#core/intents/intent.ts'
import type { Context } from '#graphql/context.ts'
import type { Holder } from '#graphql/live/streams.ts'

type Follow = {
  readonly intentId: string
  readonly holder: Holder
  /** Asked before each delivery; throws once the reader may no longer see the intent. */
  readonly stillAllowed: () => Promise<void>
}

/**
 * Takes a place, then delivers the intent as it stands and each later state. Throws `rate_limited` when the holder has
 * no place left. Not an async generator, because its `return` would wait for the next change before it gave way.
 */
export function follow(
  { live, streams }: Pick<Context, 'live' | 'streams'>,
  { intentId, holder, stillAllowed }: Follow,
): AsyncIterableIterator<PaymentIntent> {
  const stream = streams.open(holder)
  const changes = live.follow(intentId, stream.signal)[Symbol.asyncIterator]()
  const end = (): IteratorResult<PaymentIntent> => {
    stream.close()
    // A source that rests between two changes notices no signal; this ends it where it stands.
    void changes.return?.().catch(() => undefined)
    return { done: true, value: undefined }
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
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
