// Matches blocks with the watched addresses, on a thread of its own.
import { Worker } from 'node:worker_threads'
import { createAddressSet, fingerprintsOf } from './address-set.ts'
import type { MatchedAnswer } from './block-match.ts'

export type ToBlockThread =
  | { readonly kind: 'watch'; readonly fingerprints: Uint32Array<ArrayBuffer> }
  | { readonly kind: 'block'; readonly slot: bigint; readonly bytes: ArrayBuffer }

export type BlockMatcher = {
  /** Watches addresses. Returns the addresses that were not watched yet. */
  watch<A extends string>(addresses: readonly A[]): readonly A[]
  readonly watched: number
  /** Matches an answer to `getBlock`. `bytes` is transferred to the thread. Rejects when the thread ends meanwhile. */
  match(slot: bigint, bytes: ArrayBuffer): Promise<MatchedAnswer>
  close(): Promise<void>
}

/** Creates a matcher. Its thread starts with the first block. */
export function createBlockMatcher(): BlockMatcher {
  // Kept here as well, to know which addresses are new, and for a thread that has to start again.
  const known = createAddressSet()
  let thread: Thread | null = null
  let closed = false

  const tell = (to: Thread, fingerprints: Uint32Array<ArrayBuffer>): void => to.post({ kind: 'watch', fingerprints })
  const startOnce = (): Thread => {
    if (thread !== null) return thread
    const started = startThread(() => {
      if (thread === started) thread = null
    })
    tell(started, known.fingerprints())
    thread = started
    return started
  }

  return {
    watch(addresses) {
      const fresh = addresses.filter((address) => !known.mayHave(address))
      if (fresh.length === 0) return fresh
      const fingerprints = fingerprintsOf(fresh)
      known.add(fingerprints)
      if (thread !== null) tell(thread, fingerprints)
      return fresh
    },
    get watched() {
      return known.size
    },
    match(slot, bytes) {
      if (closed) return Promise.reject(new Error('the block thread was ended'))
      return startOnce().ask({ kind: 'block', slot, bytes })
    },
    async close() {
      closed = true
      await thread?.end()
    },
  }
}

type Asked = { readonly resolve: (answer: MatchedAnswer) => void; readonly reject: (error: unknown) => void }
type Thread = {
  post(message: ToBlockThread): void
  ask(message: ToBlockThread & { readonly kind: 'block' }): Promise<MatchedAnswer>
  end(): Promise<unknown>
}

function startThread(onEnd: () => void): Thread {
  const worker = new Worker(new URL('./block-thread.ts', import.meta.url), { name: 'blocks' })
  worker.unref()
  const asked: Asked[] = []
  let failure: unknown = new Error('the block thread ended')
  worker.on('message', (answer: MatchedAnswer) => asked.shift()?.resolve(answer))
  worker.on('error', (error) => {
    failure = error
  })
  worker.once('exit', () => {
    onEnd()
    for (const { reject } of asked) reject(failure)
  })
  return {
    post: (message) => worker.postMessage(message),
    ask: (message) =>
      new Promise((resolve, reject) => {
        asked.push({ resolve, reject })
        worker.postMessage(message, [message.bytes])
      }),
    end: () => worker.terminate(),
  }
}
