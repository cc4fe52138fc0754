// The signatures that a history walk has read, so that each is read once.
import type { Signature } from '#core/chain/types.ts'
import type { HistoryEntry } from '#ports/chain.ts'

/** Signatures that one walk remembers. The oldest are forgotten first, and cost one more read in a later pass. */
const MAX_EXAMINED = 10_000
/** A listed transaction that the provider does not know is read again in this many steps, and then in a later pass. */
const MAX_TRIES = 5
const MAX_MISSED = 100

/** `deposit`: it brought something into this account. `unknown`: the provider does not know the transaction yet. */
export type Examination = 'nothing' | 'deposit' | 'unknown'

export class ExaminedSignatures {
  /** The signature that was read last is at the end. */
  readonly #examined = new Set<Signature>()
  readonly #missed = new Map<Signature, { readonly entry: HistoryEntry; readonly tries: number }>()

  /** Returns whether an entry needs no further read. */
  has({ signature }: HistoryEntry): boolean {
    return this.#examined.has(signature)
  }

  /** Records what one read found. */
  record(entry: HistoryEntry, found: Examination): void {
    if (found === 'nothing') this.#remember(entry)
    const tries = (this.#missed.get(entry.signature)?.tries ?? 0) + 1
    this.#missed.delete(entry.signature)
    if (found !== 'unknown' || tries >= MAX_TRIES || this.#missed.size >= MAX_MISSED) return
    this.#missed.set(entry.signature, { entry, tries })
  }

  /** Returns entries that the provider listed and did not know. */
  missed(): readonly HistoryEntry[] {
    return [...this.#missed.values()].map(({ entry }) => entry)
  }

  /** Signatures that are remembered. */
  get size(): number {
    return this.#examined.size + this.#missed.size
  }

  #remember({ signature }: HistoryEntry): void {
    this.#examined.delete(signature)
    this.#examined.add(signature)
    for (const oldest of this.#examined) {
      if (this.#examined.size <= MAX_EXAMINED) return
      this.#examined.delete(oldest)
    }
  }
}
