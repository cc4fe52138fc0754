// Why money is not returned automatically to the wallet that sent it. An obstacle is a fact about one sender of one
// deposit. It may end later (a wallet is funded, an account is thawed): the operator can retry the transfer or release
// the money at any time.
import type { Address, Network } from '#core/chain/types.ts'

/** Obstacles that are stored with a sender of a deposit. The list of custodians is not: it may change. */
export const OBSTACLES = [
  'ambiguous',
  'not_a_wallet',
  'below_rent_minimum',
  'foreign_account',
  'frozen_account',
  'no_account',
  'too_small',
  'unpriced',
  'over_budget',
] as const
export type Obstacle = (typeof OBSTACLES)[number]

export const SENDER_UNKNOWN = 'The sender is not known for certain.'
export const SENDER_AMBIGUOUS =
  'Several wallets took part in its transaction, and their balances do not show which of them sent it.'

export const TOO_SMALL = 'It is worth less than returning it costs.'

export const OVER_BUDGET = 'The refunds of this payment have cost the fee payer as much as they may.'

const TEXTS: Readonly<Record<Obstacle, (wallet: Address) => string>> = {
  ambiguous: () => SENDER_AMBIGUOUS,
  not_a_wallet: (wallet) => `${wallet} is not a wallet: nothing is sent to a program’s account.`,
  below_rent_minimum: (wallet) => `${wallet} is empty and would hold less than the chain’s minimum.`,
  foreign_account: (wallet) => `The token account of ${wallet} is another’s.`,
  frozen_account: (wallet) => `The token account of ${wallet} is frozen by its issuer.`,
  too_small: () => TOO_SMALL,
  no_account: (wallet) => `${wallet} has no account for this token, and a refund creates none.`,
  unpriced: () => 'No price shows whether it is worth more than returning it costs.',
  over_budget: () => OVER_BUDGET,
}

/** Returns the sentence that explains why nothing is returned to a wallet on the list of custodians. For people. */
export const custodianText = (wallet: Address, label: string): string =>
  `${wallet} is on the list of custodians (${label}): money that is returned there without a memo is credited to no customer.`

/** Returns the sentence that explains an obstacle on the way to a wallet. For people. */
export const obstacleText = (obstacle: Obstacle, wallet: Address): string => TEXTS[obstacle](wallet)

/**
 * A wallet with the money of many customers, such as that of an exchange. Money that is returned there without the memo of a
 * customer is credited to no customer, so nothing is returned there automatically.
 */
export type Custodian = {
  readonly network: Network
  readonly address: Address
  /** Whose wallet it is, for people. */
  readonly label: string
}

/** Labels by wallet. */
export type Custodians = ReadonlyMap<Address, string>
