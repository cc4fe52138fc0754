// The least amount of an asset that a payment can have: it can be paid to a fresh deposit address, and can settle to an empty
// wallet. docs/contract.md, "Quotes and selections".
import type { Network } from '#core/chain/types.ts'
import { type BaseUnits, type BasisPoints, makeBaseUnits } from '#core/money/amounts.ts'
import type { FeeTerms } from '#core/payments/decision-context.ts'
import { leastSettlement } from '#core/payments/settlement/settlement-plan.ts'
import type { Token } from '#core/tokens/token.ts'
import type { RentReader } from '#ports/chain.ts'
import type { MintGuard } from '#services/tokens/mint-guard.ts'

/** Returns the least amount for the rate of a marketplace; null for a payment without a seller. */
export type LeastPayable = (marketplaceFeeBps: BasisPoints | null) => BaseUnits

/** Throws `asset_not_usable` while no payment can be made in the token. */
export type ReadLeastPayable = (token: Token) => Promise<LeastPayable>

/** The bytes of a wallet's account: none. Its rent minimum is what the chain asks for an account without data. */
const WALLET_BYTES = 0

const ONE = makeBaseUnits(1n)

/** The chain refuses SOL below the rent minimum in an account. Tokens pay their account's rent apart, and settle without fees. */
export function createLeastPayable(deps: {
  readonly chainOf: (network: Network) => RentReader
  readonly terms: (network: Network) => FeeTerms
  readonly mintGuard: Pick<MintGuard, 'requireUsable'>
}): ReadLeastPayable {
  return async (token) => {
    const { network, isNative } = token
    await deps.mintGuard.requireUsable(token)
    if (!isNative) return () => ONE
    const rentMinimum = await deps.chainOf(network).minimumBalance(WALLET_BYTES)
    return (marketplaceFeeBps) => leastSettlement(marketplaceFeeBps, deps.terms(network), rentMinimum)
  }
}
