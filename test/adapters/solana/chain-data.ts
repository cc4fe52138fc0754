// Account data as the token programs write it, made with their own client when it has an encoder.
import { type Address, generateKeyPairSigner, none, some } from '@solana/kit'
import { AccountState, getMintEncoder, getTokenEncoder } from '@solana-program/token'

export const anAddress = async (): Promise<Address> => (await generateKeyPairSigner()).address

export type Extension = { readonly type: number; readonly data: Uint8Array }

const SYSTEM = '11111111111111111111111111111111'

export function tokenAccountData(fields: {
  mint: Address
  owner: Address
  amount: bigint
  state?: AccountState
  delegation?: { readonly delegate: Address; readonly allowance: bigint }
  extensions?: readonly Extension[]
}): Uint8Array {
  const base = getTokenEncoder().encode({
    mint: fields.mint,
    owner: fields.owner,
    amount: fields.amount,
    delegate: fields.delegation === undefined ? none() : some(fields.delegation.delegate),
    state: fields.state ?? AccountState.Initialized,
    isNative: none(),
    delegatedAmount: fields.delegation?.allowance ?? 0n,
    closeAuthority: none(),
  })
  return fields.extensions === undefined ? Uint8Array.from(base) : extended(base, 2, fields.extensions)
}

export function mintData(decimals: number, extensions?: readonly Extension[], isInitialized = true): Uint8Array {
  const base = getMintEncoder().encode({
    mintAuthority: none(),
    supply: 1_000_000n,
    decimals,
    isInitialized,
    freezeAuthority: none(),
  })
  return extensions === undefined ? Uint8Array.from(base) : extended(base, 1, extensions)
}

/** Token-2022: the base layout padded to 165 bytes, the account type, then type, length and bytes of each extension. */
function extended(base: ArrayLike<number>, kind: number, extensions: readonly Extension[]): Uint8Array {
  const parts = extensions.map(({ type, data }) => {
    const head = Buffer.alloc(4)
    head.writeUInt16LE(type, 0)
    head.writeUInt16LE(data.length, 2)
    return Buffer.concat([head, data])
  })
  const padded = Buffer.alloc(166)
  padded.set(Uint8Array.from(base))
  padded[165] = kind
  return Uint8Array.from(Buffer.concat([padded, ...parts]))
}

export const u64 = (value: bigint): Uint8Array => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return Uint8Array.from(bytes)
}

/** Returns an account as `getMultipleAccounts` returns it with base64. */
export const rawAccount = (lamports: number, owner: string = SYSTEM, data: Uint8Array = new Uint8Array()) => ({
  lamports,
  owner,
  data: [Buffer.from(data).toString('base64'), 'base64'],
  executable: false,
  rentEpoch: 0,
  space: data.length,
})
