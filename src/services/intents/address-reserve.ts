// Deposit addresses, each with an index of its own. For a business that needs one after the other they are derived
// ahead, so that its creates do not wait for it.
import type { Address, Network } from '#core/chain/types.ts'
import type { AddressSource } from '#ports/chain.ts'

export type DepositAddress = { readonly derivationIndex: number; readonly address: Address }

/** `account` is the derivation index of the business or seller. Each answer is given once. */
export type AddressReserve = (network: Network, account: number) => Promise<DepositAddress>

export type AddressReserveDeps = {
  readonly nextIndex: () => Promise<number>
  readonly keys: AddressSource
}

/** How many are kept for whoever finds none ready for the second time; twice as many each time again. */
const SMALLEST = 4
const LARGEST = 128
/** Of more, those are forgotten who have been served well for longest. Their addresses are lost, which costs nothing. */
const BUSINESSES = 1_000

type Reserve = { readonly ready: DepositAddress[]; size: number; filling: boolean }

export function createAddressReserve({ nextIndex, keys }: AddressReserveDeps): AddressReserve {
  const reserves = new Map<string, Reserve>()

  const derive = async (network: Network, account: number): Promise<DepositAddress> => {
    const derivationIndex = await nextIndex()
    const address = await keys.addressOf({ network, branch: 'deposit', account, intent: derivationIndex })
    return { derivationIndex, address }
  }

  const open = (name: string): Reserve => {
    const reserve = { ready: [], size: 0, filling: false }
    reserves.set(name, reserve)
    const [oldest] = reserves.keys()
    if (reserves.size > BUSINESSES && oldest !== undefined) reserves.delete(oldest)
    return reserve
  }

  const take = (name: string, known: Reserve): DepositAddress | undefined => {
    const address = known.ready.shift()
    if (address !== undefined) return address
    known.size = Math.min(LARGEST, Math.max(SMALLEST, known.size * 2))
    // Who runs out is the last to be forgotten.
    reserves.delete(name)
    reserves.set(name, known)
    return undefined
  }

  const fill = async (reserve: Reserve, network: Network, account: number): Promise<void> => {
    reserve.filling = true
    const missing = Math.max(0, reserve.size - reserve.ready.length)
    // What fails here fails again, and is told, for whoever finds none ready.
    const derived = await Promise.allSettled(Array.from({ length: missing }, () => derive(network, account)))
    for (const one of derived) if (one.status === 'fulfilled') reserve.ready.push(one.value)
    reserve.filling = false
  }

  return async (network, account) => {
    const name = `${network}/${account}`
    const known = reserves.get(name)
    const ready = known === undefined ? undefined : take(name, known)
    const reserve = known ?? open(name)
    if (!reserve.filling && reserve.ready.length < reserve.size / 2) void fill(reserve, network, account)
    return ready ?? (await derive(network, account))
  }
}
