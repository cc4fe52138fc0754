// Whether an amount of an asset could be paid to a fresh deposit address at all. docs/contract.md, "Quotes and selections".
import type { Network } from '#core/chain/types.ts'
import { type BaseUnits, makeBaseUnits } from '#core/money/amounts.ts'
import type { Token } from '#core/tokens/token.ts'
import type { RentReader } from '#ports/chain.ts'

type Paid = Pick<Token, 'network' | 'isNative'>

export type Payability = (token: Paid, amount: BaseUnits) => Promise<boolean>

/** The bytes of a wallet's account: none. Its rent minimum is what the chain asks for an account without data. */
const WALLET_BYTES = 0

const ONE = makeBaseUnits(1n)

/** SOL below the rent minimum of a fresh address would be refused by the chain; tokens pay their account's rent apart. */
export const createMinPayable =
  (chainOf: (network: Network) => RentReader) =>
  async ({ network, isNative }: Paid): Promise<BaseUnits> =>
    isNative ? await chainOf(network).minimumBalance(WALLET_BYTES) : ONE

export function createPayability(chainOf: (network: Network) => RentReader): Payability {
  const minPayable = createMinPayable(chainOf)
  return async (token, amount) => amount >= (await minPayable(token))
}
