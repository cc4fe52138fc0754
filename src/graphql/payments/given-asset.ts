// The allowlist shows SOL with the wrapped-SOL mint, so a client sends that mint back where it means SOL.
import { type Asset, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'

/** Returns SOL for the wrapped-SOL mint, and any other asset as it is. */
export const givenAsset = (asset: Asset): Asset => (asset === WRAPPED_SOL_MINT ? SOL : asset)

/** Returns each asset once. */
export const givenAssets = (assets: readonly Asset[]): readonly Asset[] => [...new Set(assets.map(givenAsset))]
