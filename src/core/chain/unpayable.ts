// Addresses that are neither a wallet nor a vault: money sent there is lost.
import { type Address, WRAPPED_SOL_MINT } from '#core/chain/types.ts'

const PROGRAMS_AND_SYSVARS: ReadonlySet<string> = new Set([
  '11111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'ComputeBudget111111111111111111111111111111',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Stake11111111111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'Sysvar1nstructions1111111111111111111111111',
  'SysvarC1ock11111111111111111111111111111111',
  'SysvarRent111111111111111111111111111111111',
  '1nc1nerator11111111111111111111111111111111',
  WRAPPED_SOL_MINT,
])

/** The owners of accounts that are code. */
const LOADERS: ReadonlySet<string> = new Set([
  'NativeLoader1111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
])

const TOKEN_PROGRAMS: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
])

/** Returns true for an address that is never a wallet, on any chain. */
export const isNeverWallet = (address: Address): boolean => PROGRAMS_AND_SYSVARS.has(address)

/**
 * Returns the kind of an account by the program that owns it; null for a payable one: a wallet, or a vault of a program.
 */
export function unpayableBy(ownerProgram: Address): 'a program' | "a token's mint or token account" | null {
  if (LOADERS.has(ownerProgram)) return 'a program'
  return TOKEN_PROGRAMS.has(ownerProgram) ? "a token's mint or token account" : null
}
