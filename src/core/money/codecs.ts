// Codecs of prices and rates. Those of amounts of an asset are with the chain's.
import { digits, plain } from '#core/codec.ts'
import { checked } from '#core/json.ts'
import { isBasisPoints, isUsdCents } from '#core/money/amounts.ts'

export const basisPointsCodec = plain('integer', checked(isBasisPoints))
export const usdCentsCodec = digits('bigint', isUsdCents)
