// Codecs of what a chain names: addresses, assets, signatures and amounts.
import { isAddress, isAsset, isSignature } from '#core/chain/base58.ts'
import { NETWORKS } from '#core/chain/types.ts'
import { digits, plain } from '#core/codec.ts'
import { checked, oneOf } from '#core/json.ts'
import { isBaseUnits } from '#core/money/amounts.ts'

export const networkCodec = plain('text', oneOf(NETWORKS))
export const addressCodec = plain('text', checked(isAddress))
export const assetCodec = plain('text', checked(isAsset))
export const signatureCodec = plain('text', checked(isSignature))
/** Base units of a token, or lamports. */
export const unitsCodec = digits('decimal', isBaseUnits)

const isSlot = (value: unknown): value is bigint => typeof value === 'bigint' && value >= 0n && value < 2n ** 63n
export const slotCodec = digits('bigint', isSlot)
