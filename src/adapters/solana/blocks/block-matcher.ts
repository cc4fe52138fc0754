// Matches blocks with the watched addresses, on a thread of its own.
import { Thread } from '#adapters/node/thread.ts'
import { AddressSet, fingerprintsOf } from './address-set.ts'
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
  const known = new AddressSet()
  const thread = new Thread<ToBlockThread, MatchedAnswer>({
    file: new URL('./block-thread.ts', import.meta.url),
    name: 'blocks',
    greeting: () => ({ kind: 'watch', fingerprints: known.fingerprints() }),
  })

  return {
    watch(addresses) {
      const fresh = addresses.filter((address) => !known.mayHave(address))
      if (fresh.length === 0) return fresh
      const fingerprints = fingerprintsOf(fresh)
      known.add(fingerprints)
      thread.send({ kind: 'watch', fingerprints })
      return fresh
    },
    get watched() {
      return known.size
    },
    match: (slot, bytes) => thread.ask({ kind: 'block', slot, bytes }, [bytes]),
    close: () => thread.close(),
  }
}
