// An asset on the platform's allowlist. Spec: "Allowed token".
import type { Address, Asset, Network } from '#core/chain/types.ts'

export type Token = {
  readonly network: Network
  readonly asset: Asset
  /** The mint; for SOL the wrapped-SOL mint. */
  readonly mint: Address
  readonly isNative: boolean
  readonly name: string
  readonly ticker: string
  readonly decimals: number
  /** null for SOL. */
  readonly tokenProgram: Address | null
  /** Kebab-case Token-2022 extensions of the mint when it was allowed. The operator consented to each that needs it. */
  readonly extensions: readonly string[]
  readonly feedKey: string
  /** The name of its stored image. */
  readonly imageName: string | null
  readonly enabled: boolean
}
