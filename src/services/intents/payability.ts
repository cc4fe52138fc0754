// Whether an amount of an asset could be paid to a fresh deposit address at all. CONTRACT: "A quote leaves out …".
import type { Network } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { Token } from '#core/tokens/token.ts'
import type { RentReader } from '#ports/chain.ts'

export type Payability = (token: Pick<Token, 'network' | 'isNative'>, amount: BaseUnits) => Promise<boolean>

/** The bytes of a wallet's account: none. Its rent minimum is what the chain asks for an account without data. */
const WALLET_BYTES = 0

/** SOL below the rent minimum of a fresh address would be refused by the chain; tokens pay their account's rent apart. */
export const createPayability =
  (chainOf: (network: Network) => RentReader): Payability =>
  async (token, amount) =>
    !token.isNative || amount >= (await chainOf(token.network).minimumBalance(WALLET_BYTES))
