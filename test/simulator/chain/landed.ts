// A landed transaction: its effect on every account that it names.
import { getBase58Decoder } from '@solana/kit'
import { makeSignature } from '#core/chain/base58.ts'
import { type Address, type Asset, type Signature, SOL } from '#core/chain/types.ts'
import { holdingOf, type RawAccount } from './raw.ts'

export type Effect = {
  readonly account: Address
  /** The wallet itself for SOL, the token account's owner for a token. */
  readonly owner: Address
  readonly asset: Asset
  readonly delta: bigint
}

export type Landed = {
  readonly signature: Signature
  readonly wire: Uint8Array
  readonly keys: readonly Address[]
  /** How many of the keys signed; the first pays. */
  readonly signers: number
  readonly slot: bigint
  readonly error: string | null
  readonly fee: bigint
  readonly before: ReadonlyMap<Address, RawAccount | null>
  readonly effects: readonly Effect[]
  readonly balances: readonly { readonly before: bigint; readonly after: bigint }[]
  readonly tokens: {
    readonly before: readonly TokenBalance[]
    readonly after: readonly TokenBalance[]
  }
}

type TokenBalance = {
  readonly accountIndex: number
  readonly mint: Address
  readonly owner: Address
  readonly amount: bigint
}
type Raws = ReadonlyMap<Address, RawAccount | null>

export const signatureOf = (wire: Uint8Array): Signature =>
  makeSignature(getBase58Decoder().decode(wire.subarray(1, 65)))

/** Returns the changes, from every account before and after. */
export function effectsOf(
  keys: readonly Address[],
  before: Raws,
  after: Raws,
): Pick<Landed, 'fee' | 'effects' | 'balances' | 'tokens'> {
  const balances = keys.map((key) => ({
    before: before.get(key)?.lamports ?? 0n,
    after: after.get(key)?.lamports ?? 0n,
  }))
  const tokens = { before: tokensOf(keys, before), after: tokensOf(keys, after) }
  const lamportEffects = keys.map((key, at) => {
    const balance = balances[at]
    return { account: key, owner: key, asset: SOL, delta: (balance?.after ?? 0n) - (balance?.before ?? 0n) } as const
  })
  const tokenEffects = keys.map((key): Effect | null => {
    const [was, is] = [holdingOf(before.get(key) ?? null), holdingOf(after.get(key) ?? null)]
    const one = is ?? was
    if (one === null) return null
    return { account: key, owner: one.owner, asset: one.mint, delta: (is?.amount ?? 0n) - (was?.amount ?? 0n) }
  })
  return {
    fee: -balances.reduce((sum, balance) => sum + balance.after - balance.before, 0n),
    balances,
    tokens,
    effects: [...lamportEffects, ...tokenEffects]
      .filter((effect) => effect !== null)
      .filter(({ delta }) => delta !== 0n),
  }
}

const tokensOf = (keys: readonly Address[], raws: Raws): readonly TokenBalance[] =>
  keys.flatMap((key, accountIndex) => {
    const holding = holdingOf(raws.get(key) ?? null)
    return holding === null ? [] : [{ accountIndex, ...holding }]
  })
