// Derives many addresses on a thread of its own, so that the thread that serves requests does not.
import { Thread } from '#adapters/node/thread.ts'
import type { Address, Network } from '#core/chain/types.ts'
import type { DeriveAddresses } from '#ports/chain.ts'

/** Deposit addresses of one account. One message for each address would cost as much as the address. */
export type Wanted = { readonly network: Network; readonly account: number; readonly indexes: readonly number[] }

export type AddressDeriver = { readonly derive: DeriveAddresses; close(): Promise<void> }

/** Creates a deriver of a seed. Its thread starts with the first addresses. */
export function createAddressDeriver(seed: Uint8Array): AddressDeriver {
  const thread = new Thread<Wanted, readonly Address[]>({
    file: new URL('./address-thread.ts', import.meta.url),
    name: 'addresses',
    data: seed,
  })
  return {
    derive: (network, account, indexes) => thread.ask({ network, account, indexes }),
    close: () => thread.close(),
  }
}
