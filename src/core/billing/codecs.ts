// Codecs that several aggregates of billing share.
import { NETWORKS } from '#core/chain/types.ts'
import { digits, plain } from '#core/codec.ts'
import { checked, oneOf } from '#core/json.ts'
import { isMetadata } from '#core/metadata.ts'
import { isBasisPoints, isUsdCents } from '#core/money/amounts.ts'

export const networkCodec = plain('text', oneOf(NETWORKS))
export const metadataCodec = plain('json', checked(isMetadata))
export const basisPointsCodec = plain('integer', checked(isBasisPoints))
export const usdCentsCodec = digits('bigint', isUsdCents)

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
export const flag = plain('flag', checked(isBoolean))
