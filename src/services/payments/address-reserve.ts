// Indexes with their addresses. While an account creates many payments a second, its addresses are derived ahead, many at
// once and on another thread, so that a create takes one that is ready.
import type { Address, Network } from '#core/chain/types.ts'
import { createLru } from '#lib/lru.ts'
import type { DepositKeys, DeriveAddresses } from '#ports/chain.ts'

/** Creates of an account in one second, from which addresses are derived ahead. */
const BUSY = 64
/** Addresses that are derived together. What is left when the account is no longer busy waits for the next time. */
const BATCH = 256
/** Accounts in memory. The addresses of one that is forgotten are never issued, which is harmless. */
const MAX_ACCOUNTS = 64

export type IssuedAddress = { readonly derivationIndex: number; readonly address: Address }

type Deps = {
  readonly nextIndex: () => Promise<number>
  readonly keys: Pick<DepositKeys, 'addressOf'>
  readonly deriveAddresses: DeriveAddresses
}

type Account = { readonly network: Network; readonly index: number }

/** Returns a function that issues each address of an account once. `now` is the time of the create, in milliseconds. */
export function createAddressReserve(deps: Deps): (account: Account, now: number) => Promise<IssuedAddress> {
  const reserves = createLru<string, Reserve>(MAX_ACCOUNTS)
  return async (account, now) => {
    const name = `${account.network}/${account.index}`
    const reserve = reserves.get(name) ?? new Reserve(deps, account)
    reserves.set(name, reserve)
    return await reserve.take(now)
  }
}

class Reserve {
  readonly #deps: Deps
  readonly #account: Account
  readonly #ready: IssuedAddress[] = []
  #isRefilling = false
  #second = 0
  #taken = 0

  constructor(deps: Deps, account: Account) {
    this.#deps = deps
    this.#account = account
  }

  async take(now: number): Promise<IssuedAddress> {
    if (this.#isBusy(now) && this.#ready.length < BATCH / 2) this.#startRefill()
    return this.#ready.pop() ?? (await this.#derive())
  }

  #isBusy(now: number): boolean {
    const second = Math.floor(now / 1_000)
    if (second !== this.#second) this.#taken = 0
    this.#second = second
    this.#taken += 1
    return this.#taken >= BUSY
  }

  async #derive(): Promise<IssuedAddress> {
    const { network, index: account } = this.#account
    const intent = await this.#deps.nextIndex()
    return {
      derivationIndex: intent,
      address: this.#deps.keys.addressOf({ network, branch: 'deposit', account, intent }),
    }
  }

  /** A refill can fail without an effect: the next create derives its own address. */
  #startRefill(): void {
    if (this.#isRefilling) return
    this.#isRefilling = true
    this.#refill()
      .catch(() => {})
      .finally(() => {
        this.#isRefilling = false
      })
  }

  async #refill(): Promise<void> {
    const { network, index } = this.#account
    const indexes = await Promise.all(Array.from({ length: BATCH }, this.#deps.nextIndex))
    const addresses = await this.#deps.deriveAddresses(network, index, indexes)
    for (const [at, derivationIndex] of indexes.entries()) {
      const address = addresses[at]
      if (address !== undefined) this.#ready.push({ derivationIndex, address })
    }
  }
}
