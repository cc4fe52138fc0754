// Codecs of what a chain names: addresses, assets, signatures and amounts.

import { digits, plain } from '#core/codec.ts'
import { checked, oneOf } from '#core/json.ts'
import { isBaseUnits, isBasisPoints, isUsdCents } from '#core/money/amounts.ts'
import { isAddress, isAsset, isSignature } from './base58.ts'
import { NETWORKS } from './types.ts'

export const networkCodec = plain('text', oneOf(NETWORKS))
export const addressCodec = plain('text', checked(isAddress))
export const assetCodec = plain('text', checked(isAsset))
export const signatureCodec = plain('text', checked(isSignature))
/** Base units of a token, or lamports. */
export const unitsCodec = digits('decimal', isBaseUnits)

const isSlot = (value: unknown): value is bigint => typeof value === 'bigint' && value >= 0n && value < 2n ** 63n
export const slotCodec = digits('bigint', isSlot)

// Codecs of prices and rates. Those of amounts of an asset are with the chain's.

export const basisPointsCodec = plain('integer', checked(isBasisPoints))
export const usdCentsCodec = digits('bigint', isUsdCents)
