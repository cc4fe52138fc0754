// One live stream: bounded, ended at once when its reader goes, and ended when its credential does.
import type { Context } from '#graphql/context.ts'
import type { Holder } from '#graphql/payments/live/streams.ts'

type Follow<Change> = {
  /** Opens the source. It ends when the signal aborts. */
  readonly open: (signal: AbortSignal) => AsyncIterable<Change>
  readonly holders: readonly Holder[]
  /** Asked before each delivery; throws once the reader may no longer see the changes. */
  readonly stillAllowed: () => Promise<void>
}

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
