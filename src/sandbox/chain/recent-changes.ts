// The states that accounts had before the newest blocks. The runtime knows only its present state; with these, a reading as of
// a final block shows nothing that is newer.
import type { StoredAccount } from './ledger-store.ts'

/** Slots after which a change is forgotten: far more than finality takes. */
const KEPT_SLOTS = 100

export type RecentChanges = {
  /** Records the state of an account before a transaction in `slot`; null when the account did not exist. */
  record(address: string, slot: number, before: StoredAccount | null): void
  /** Forgets the earlier states of an account that was set by other means than a transaction: it always had the new one. */
  forget(address: string): void
  /** Returns the state at the end of a slot; null when the account did not exist, undefined when it has not changed since. */
  stateAt(address: string, slot: number): StoredAccount | null | undefined
  /** Returns whether any account has changed after a slot. */
  anyAfter(slot: number): boolean
}

type Change = { readonly slot: number; readonly before: StoredAccount | null }

export function createRecentChanges(): RecentChanges {
  /** Each account's changes, oldest first; the account that changed last comes last. */
  const changes = new Map<string, readonly Change[]>()
  let newestSlot = 0

  const dropBefore = (slot: number): void => {
    for (const [address, [...known]] of changes) {
      if ((known.at(-1)?.slot ?? 0) >= slot) return
      changes.delete(address)
    }
  }
  return {
    record(address, slot, before) {
      const known = (changes.get(address) ?? []).filter((change) => change.slot >= slot - KEPT_SLOTS)
      changes.delete(address)
      changes.set(address, [...known, { slot, before }])
      newestSlot = Math.max(newestSlot, slot)
      dropBefore(slot - KEPT_SLOTS)
    },
    forget: (address) => void changes.delete(address),
    stateAt: (address, slot) => changes.get(address)?.find((change) => change.slot > slot)?.before,
    anyAfter: (slot) => newestSlot > slot,
  }
}
