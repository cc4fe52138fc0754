// Amounts in the assets that a payment names, as its buyer reads them.
import type { PaymentStateFragment } from '#pay/documents.generated.ts'
import { usePage } from '#pay/views/context.tsx'

type Named = Pick<PaymentStateFragment, 'namedTokens'>
export type NamedToken = Named['namedTokens'][number]

export const SOL = 'SOL'
const WRAPPED_SOL_MINT = 'So11111111111111111111111111111111111111112'
/** SOL is known also where it was never allowed. */
export const NATIVE: NamedToken = { asset: SOL, ticker: SOL, decimals: 9 }

/** Returns the asset of a list entry. SOL has no mint there, or the wrapped-SOL mint. */
export const assetOf = (mint: string | null): string => (mint === null || mint === WRAPPED_SOL_MINT ? SOL : mint)

/** Returns an asset with its ticker and decimals; null for a token that was never allowed. */
export const tokenOf = ({ namedTokens }: Named, asset: string | null): NamedToken | null =>
  [...namedTokens, NATIVE].find((token) => token.asset === asset) ?? null

/** Returns how to write an amount, in base units, of an asset. Without known decimals there is no figure. */
export function useAmounts(payment: Named): (units: string, asset: string | null) => string {
  const { say, formats } = usePage()
  return (units, asset) => {
    const token = tokenOf(payment, asset)
    return token === null ? say('someAmount') : formats.amount(units, token)
  }
}
