// Wallets that hold the money of many customers, such as those of exchanges. Money that is returned to such a wallet without
// the memo of a customer is credited to no customer, so nothing is returned there automatically.
import type { Address, Network } from '#core/chain/types.ts'

export type Custodian = {
  readonly network: Network
  readonly address: Address
  /** Whose wallet it is, for people. */
  readonly label: string
}

/** Labels by wallet. */
export type Custodians = ReadonlyMap<Address, string>
