// Decodes the data of mints and token accounts, of the classic program and Token-2022. The layouts are taken from the
// source of the programs; only the needed fields are read.
import { type Address, address, getAddressDecoder } from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import type { AccountState, MintFacts } from '#core/chain/types.ts'
import { type BaseUnits, makeBaseUnits, ZERO } from '#core/money/amounts.ts'

export const TOKEN_2022_PROGRAM_ADDRESS = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
export const TOKEN_PROGRAMS: readonly Address[] = [TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS]
export const isTokenProgram = (program: Address): boolean => TOKEN_PROGRAMS.includes(program)

const MINT_BYTES = 82
const ACCOUNT_BYTES = 165
const DECIMALS_AT = 44
const MINT_INITIALIZED_AT = 45
const AMOUNT_AT = 64
const DELEGATE_AT = 72
const STATE_AT = 108
const DELEGATED_AMOUNT_AT = 121
const CLOSE_AUTHORITY_AT = 129
/** After the base layout, padded to a token account's length, Token-2022 stores the account type and the extensions. */
const TYPE_AT = 165
const EXTENSIONS_AT = 166
const TYPE_MINT = 1
const TYPE_ACCOUNT = 2
const FROZEN = 2

/** Stands for an extension that exceeds the account's data. No extension has this number. */
const UNREADABLE = -1
/** The names of Token-2022's mint extensions. An extension that is missing here is named by its number. */
const MINT_EXTENSIONS: ReadonlyMap<number, string> = new Map([
  [1, 'transfer-fee-config'],
  [3, 'mint-close-authority'],
  [4, 'confidential-transfer-mint'],
  [6, 'default-account-state'],
  [9, 'non-transferable'],
  [10, 'interest-bearing-config'],
  [12, 'permanent-delegate'],
  [14, 'transfer-hook'],
  [16, 'confidential-transfer-fee-config'],
  [18, 'metadata-pointer'],
  [19, 'token-metadata'],
  [20, 'group-pointer'],
  [21, 'token-group'],
  [22, 'group-member-pointer'],
  [23, 'token-group-member'],
  [24, 'confidential-mint-burn'],
  [25, 'scaled-ui-amount'],
  [26, 'pausable'],
  [28, 'permissioned-burn'],
  [UNREADABLE, 'unreadable'],
])
const TRANSFER_FEE_AMOUNT = 2
/** Where the older and the newer fee have their basis points, and where the epoch is in which the newer one begins. */
const OLDER_FEE_BPS_AT = 88
const NEWER_FEE_EPOCH_AT = 90
const NEWER_FEE_BPS_AT = 106
const HOOK_PROGRAM_AT = 32
const PAUSED_AT = 32

/** An older fee stays in the mint when the newer one has taken its place. */
const takesFee = (content: DataView, epoch: bigint): boolean =>
  content.getUint16(NEWER_FEE_BPS_AT, true) > 0 ||
  (content.getUint16(OLDER_FEE_BPS_AT, true) > 0 && epoch < content.getBigUint64(NEWER_FEE_EPOCH_AT, true))

/** By extension: whether its content acts on transfers. A content that is too short counts as acting. */
const ACTS: ReadonlyMap<number, (content: DataView, epoch: bigint) => boolean> = new Map([
  [1, takesFee],
  [6, (content) => content.getUint8(0) === FROZEN],
  [14, (content) => [0, 8, 16, 24].some((at) => content.getBigUint64(HOOK_PROGRAM_AT + at, true) > 0n)],
  [26, (content) => content.getUint8(PAUSED_AT) !== 0],
])

const decoder = getAddressDecoder()

/** Decodes a token account; null when it is not an initialized token account of the program. */
export function decodeTokenAccount(program: Address, data: Uint8Array): AccountState['token'] {
  const view = viewOf(data)
  if (!isWhole(program, view, ACCOUNT_BYTES, TYPE_ACCOUNT) || view.getUint8(STATE_AT) === 0) return null
  const delegate = optionalAddress(view, data, DELEGATE_AT)
  return {
    mint: decoder.decode(data.subarray(0, 32)),
    owner: decoder.decode(data.subarray(32, 64)),
    amount: makeBaseUnits(view.getBigUint64(AMOUNT_AT, true)),
    frozen: view.getUint8(STATE_AT) === FROZEN,
    withheld: withheldIn(view),
    delegation: delegate && { delegate, allowance: makeBaseUnits(view.getBigUint64(DELEGATED_AMOUNT_AT, true)) },
    closeAuthority: optionalAddress(view, data, CLOSE_AUTHORITY_AT),
  }
}

/** Reads a tag of four bytes, 0 for none, and an address. */
const optionalAddress = (view: DataView, data: Uint8Array, at: number): Address | null =>
  view.getUint32(at, true) === 0 ? null : decoder.decode(data.subarray(at + 4, at + 36))

/** Decodes a mint as of an epoch; null when the account is not an initialized mint of the program. */
export function decodeMint(mint: Address, program: Address, data: Uint8Array, epoch = 0n): MintFacts | null {
  const view = viewOf(data)
  if (!isWhole(program, view, MINT_BYTES, TYPE_MINT) || view.getUint8(MINT_INITIALIZED_AT) !== 1) return null
  const extensions = [...extensionsOf(view)]
  return {
    mint,
    tokenProgram: program,
    decimals: view.getUint8(DECIMALS_AT),
    extensions: extensions.map(nameOf),
    active: extensions.filter((extension) => acts(view, extension, epoch)).map(nameOf),
  }
}

const nameOf = ({ type }: Extension): string => MINT_EXTENSIONS.get(type) ?? `unknown-${type}`

function acts(view: DataView, { type, at, length }: Extension, epoch: bigint): boolean {
  try {
    return ACTS.get(type)?.(new DataView(view.buffer, view.byteOffset + at, length), epoch) ?? false
  } catch (error) {
    if (error instanceof RangeError) return true
    throw error
  }
}

const viewOf = (data: Uint8Array): DataView => new DataView(data.buffer, data.byteOffset, data.byteLength)

/** Returns whether the data has the base layout of a type, or (Token-2022 only) extensions and the account type. */
function isWhole(program: Address, view: DataView, bytes: number, type: number): boolean {
  if (view.byteLength === bytes) return true
  return program === TOKEN_2022_PROGRAM_ADDRESS && view.byteLength > TYPE_AT && view.getUint8(TYPE_AT) === type
}

type Extension = { readonly type: number; readonly at: number; readonly length: number }

/**
 * Yields the extensions in order: a 16-bit type, a 16-bit length, then that many bytes at `at`. Type 0 ends the list.
 */
function* extensionsOf(view: DataView): Generator<Extension> {
  for (let offset = EXTENSIONS_AT; offset + 4 <= view.byteLength; ) {
    const type = view.getUint16(offset, true)
    const length = view.getUint16(offset + 2, true)
    if (type === 0) return
    const fits = offset + 4 + length <= view.byteLength
    yield fits ? { type, at: offset + 4, length } : { type: UNREADABLE, at: offset, length: 0 }
    offset += 4 + length
  }
}

function withheldIn(view: DataView): BaseUnits {
  for (const { type, at, length } of extensionsOf(view))
    if (type === TRANSFER_FEE_AMOUNT && length >= 8) return makeBaseUnits(view.getBigUint64(at, true))
  return ZERO
}

/** The part of a token account with its mint, owner and amount. */
export const BALANCE_SLICE = { offset: 0, length: AMOUNT_AT + 8 } as const

/** Decodes `BALANCE_SLICE` of a token account. Throws RangeError when it is shorter. */
export function decodeTokenBalance(data: Uint8Array): { readonly mint: Address; readonly amount: BaseUnits } {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  return { mint: decoder.decode(data), amount: makeBaseUnits(view.getBigUint64(AMOUNT_AT, true)) }
}
