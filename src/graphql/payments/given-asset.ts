// The assets that a client names. The allowlist shows SOL with the wrapped-SOL mint, so a client sends that mint back where it
// means SOL.
import { type Asset, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'

/** Assets that one payment can accept. The error names the field of REST, which has no limit of its own. */
const MAX_ASSETS = 100

/** Returns SOL for the wrapped-SOL mint, and any other asset as it is. */
export const givenAsset = (asset: Asset): Asset => (asset === WRAPPED_SOL_MINT ? SOL : asset)

/** Returns each asset once. Throws `invalid_request` for a list that is too long, repeats included. */
export function givenAssets(assets: readonly Asset[]): readonly Asset[] {
  if (assets.length > MAX_ASSETS) {
    throw new ServiceError('invalid_request', { field: 'accepted_tokens', rule: 'is too long' })
  }
  return [...new Set(assets.map(givenAsset))]
}
