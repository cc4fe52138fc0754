// Wallets that hold the money of many customers: exchanges, for one. What is returned to such a wallet without the memo of
// the customer is credited to nobody, so nothing is returned there automatically.
import type { Address, Network } from '#core/chain/types.ts'

export type Custodian = {
  readonly network: Network
  readonly address: Address
  /** Whose wallet it is, for people. */
  readonly label: string
}

/** Labels by wallet. */
export type Custodians = ReadonlyMap<Address, string>
