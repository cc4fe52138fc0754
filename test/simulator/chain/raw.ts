// Accounts as the runtime stores them, and the fields of their bytes that are read.
import { type Address, getAddressDecoder, getAddressEncoder, lamports } from '@solana/kit'
import type { LiteSVM } from 'litesvm'
import { TOKEN_2022_PROGRAM_ADDRESS } from '#adapters/solana/rpc/token-data.ts'
import { makeAddress } from '#core/chain/base58.ts'

export const SYSTEM_PROGRAM = makeAddress('11111111111111111111111111111111')
export const TOKEN_PROGRAM = makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
export const TOKEN_2022_PROGRAM = TOKEN_2022_PROGRAM_ADDRESS

export type RawAccount = { readonly lamports: bigint; readonly owner: Address; readonly data: Uint8Array }

/** Null where no account exists. */
export function readRaw(svm: LiteSVM, address: Address): RawAccount | null {
  const account = svm.getAccount(address)
  if (!account.exists || account.lamports === 0n) return null
  return { lamports: account.lamports, owner: account.programAddress, data: Uint8Array.from(account.data) }
}

export function writeRaw(svm: LiteSVM, address: Address, raw: RawAccount | null): void {
  const { lamports: amount, owner, data } = raw ?? { lamports: 0n, owner: SYSTEM_PROGRAM, data: new Uint8Array() }
  svm.setAccount({
    address,
    programAddress: owner,
    lamports: lamports(amount),
    data,
    executable: false,
    space: BigInt(data.length),
  })
}

export const isSame = (a: RawAccount | null, b: RawAccount | null): boolean =>
  a === null || b === null
    ? a === b
    : a.lamports === b.lamports && a.owner === b.owner && Buffer.compare(a.data, b.data) === 0

export type Holding = { readonly mint: Address; readonly owner: Address; readonly amount: bigint }

const decoder = getAddressDecoder()
const encoder = getAddressEncoder()

/** Returns the content of a token account; null for another account. */
export function holdingOf(raw: RawAccount | null): Holding | null {
  if (raw === null || (raw.owner !== TOKEN_PROGRAM && raw.owner !== TOKEN_2022_PROGRAM)) return null
  const { data } = raw
  if (data.length < 165 || data[108] === 0 || (data.length > 165 && data[165] !== 2)) return null
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  return {
    mint: decoder.decode(data.subarray(0, 32)),
    owner: decoder.decode(data.subarray(32, 64)),
    amount: view.getBigUint64(64, true),
  }
}

/** Returns who may move tokens of a token account besides its owner, and how many. */
export function delegationIn(raw: RawAccount | null): { readonly delegate: Address | null; readonly amount: bigint } {
  if (raw === null || holdingOf(raw) === null) return { delegate: null, amount: 0n }
  const view = new DataView(raw.data.buffer, raw.data.byteOffset, raw.data.byteLength)
  const isSet = view.getUint32(72, true) === 1
  return { delegate: isSet ? decoder.decode(raw.data.subarray(76, 108)) : null, amount: view.getBigUint64(121, true) }
}

/**
 * The bytes of a mint whose authority may mint and freeze, with a transfer fee in basis points in the layout of
 * Token-2022.
 */
export function mintData(authority: Address, decimals: number, transferFeeBps: number | null): Uint8Array {
  const base = baseMint(authority, decimals)
  if (transferFeeBps === null) return base
  const key = encoder.encode(authority)
  const extension = new Uint8Array(108)
  const view = new DataView(extension.buffer)
  extension.set(key, 0)
  extension.set(key, 32)
  for (const fee of [72, 90]) {
    view.setBigUint64(fee + 8, 10n ** 12n, true)
    view.setUint16(fee + 16, transferFeeBps, true)
  }
  return extendedMint(base, TRANSFER_FEE, extension)
}

const TRANSFER_FEE = 1
const PERMANENT_DELEGATE = 12

/** A mint of Token-2022 without supply, whose authority may take back tokens from every holder. */
export function clawbackMintData(authority: Address, decimals: number): Uint8Array {
  const base = baseMint(authority, decimals)
  new DataView(base.buffer).setBigUint64(36, 0n, true)
  return extendedMint(base, PERMANENT_DELEGATE, Uint8Array.from(encoder.encode(authority)))
}

function baseMint(authority: Address, decimals: number): Uint8Array<ArrayBuffer> {
  const key = encoder.encode(authority)
  const base = new Uint8Array(82)
  const view = new DataView(base.buffer)
  view.setUint32(0, 1, true)
  base.set(key, 4)
  view.setBigUint64(36, 10n ** 15n, true)
  base[44] = decimals
  base[45] = 1
  view.setUint32(46, 1, true)
  base.set(key, 50)
  return base
}

function extendedMint(base: Uint8Array, type: number, extension: Uint8Array): Uint8Array {
  const data = new Uint8Array(166 + 4 + extension.length)
  data.set(base)
  data[165] = 1
  const view = new DataView(data.buffer)
  view.setUint16(166, type, true)
  view.setUint16(168, extension.length, true)
  data.set(extension, 170)
  return data
}

/** The bytes of a token account; with the extension of a transfer-fee mint where `withFee`. */
export function holdingData({ mint, owner, amount }: Holding, withFee: boolean): Uint8Array {
  const data = new Uint8Array(withFee ? 166 + 4 + 8 : 165)
  data.set(encoder.encode(mint), 0)
  data.set(encoder.encode(owner), 32)
  const view = new DataView(data.buffer)
  view.setBigUint64(64, amount, true)
  data[108] = 1
  if (!withFee) return data
  data[165] = 2
  view.setUint16(166, 2, true)
  view.setUint16(168, 8, true)
  return data
}

/** The clock account of a slot. */
export function clockData(slot: bigint, seconds: bigint): Uint8Array {
  const data = new Uint8Array(40)
  const view = new DataView(data.buffer)
  view.setBigUint64(0, slot, true)
  view.setBigInt64(32, seconds, true)
  return data
}
