// One live stream: bounded, ended at once when its reader goes, and ended when its credential does.
import { ServiceError } from '#core/errors.ts'
import type { Context } from '#graphql/context.ts'
import type { Holder } from '#graphql/payments/live/streams.ts'

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
