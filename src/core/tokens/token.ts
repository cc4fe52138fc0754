// An asset on the platform's allowlist. Spec: "Allowed token".
import { addressCodec, assetCodec, networkCodec } from '#core/chain/codecs.ts'
import { type Decoded, flag, integer, nullable, text, texts } from '#core/codec.ts'
import { readString } from '#core/json.ts'

export const TOKEN_FIELDS = {
  network: networkCodec,
  asset: assetCodec,
  /** The mint; for SOL the wrapped-SOL mint. */
  mint: addressCodec,
  isNative: flag,
  name: text,
  ticker: text,
  decimals: integer,
  /** null for SOL. */
  tokenProgram: nullable(addressCodec),
  /** Kebab-case Token-2022 extensions of the mint when it was allowed. The operator consented to each that needs it. */
  extensions: texts(readString),
  feedKey: text,
  /** The name of its stored image. */
  imageName: nullable(text),
  enabled: flag,
} as const

export type Token = Decoded<typeof TOKEN_FIELDS>
