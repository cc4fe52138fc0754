// Every account at every slot, so that a node may be any number of slots behind.
import type { Address } from '#core/chain/types.ts'
import type { RawAccount } from './raw.ts'

type Version = { readonly slot: bigint; readonly raw: RawAccount | null }

/** `present` reads an account that no transaction has touched yet. */
export function createHistory(present: (address: Address) => RawAccount | null) {
  const versions = new Map<Address, Version[]>()
  return {
    read(address: Address, slot: bigint): RawAccount | null {
      const known = versions.get(address)
      if (known === undefined) return present(address)
      return known.findLast((version) => version.slot <= slot)?.raw ?? null
    },
    /** `before` is the account until now; for the first change it counts from the beginning. */
    write(address: Address, slot: bigint, raw: RawAccount | null, before: RawAccount | null): void {
      const known = versions.get(address) ?? [{ slot: 0n, raw: before }]
      known.push({ slot, raw })
      versions.set(address, known)
    },
  }
}
