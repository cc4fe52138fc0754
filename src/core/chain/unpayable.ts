// Addresses that are neither a wallet nor a vault: money sent there is lost.
import { type Address, WRAPPED_SOL_MINT } from '#core/chain/types.ts'

/** Among them is every account that the chain itself never lets a transaction write to. */
const PROGRAMS_AND_SYSVARS: ReadonlySet<string> = new Set([
  '11111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'ComputeBudget111111111111111111111111111111',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Stake11111111111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'AddressLookupTab1e1111111111111111111111111',
  'Config1111111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'Feature111111111111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
  'StakeConfig11111111111111111111111111111111',
  'ZkE1Gama1Proof11111111111111111111111111111',
  'ZkTokenProof1111111111111111111111111111111',
  'NativeLoader1111111111111111111111111111111',
  'Sysvar1111111111111111111111111111111111111',
  'Sysvar1nstructions1111111111111111111111111',
  'SysvarC1ock11111111111111111111111111111111',
  'SysvarEpochRewards1111111111111111111111111',
  'SysvarEpochSchedu1e111111111111111111111111',
  'SysvarFees111111111111111111111111111111111',
  'SysvarLastRestartS1ot1111111111111111111111',
  'SysvarRecentB1ockHashes11111111111111111111',
  'SysvarRent111111111111111111111111111111111',
  'SysvarRewards111111111111111111111111111111',
  'SysvarS1otHashes111111111111111111111111111',
  'SysvarS1otHistory11111111111111111111111111',
  'SysvarStakeHistory1111111111111111111111111',
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

const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111'

const TOKEN_PROGRAMS: ReadonlySet<string> = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
])

/** Returns true for an address that is never a wallet, on any chain. */
export const isNeverWallet = (address: Address): boolean => PROGRAMS_AND_SYSVARS.has(address)

/**
 * Returns the kind of an account by the program that owns it; null for a payable one: a wallet, or a vault of a program.
 */
export function unpayableBy(
  ownerProgram: Address,
): 'a program' | 'an account of the chain itself' | "a token's mint or token account" | null {
  if (LOADERS.has(ownerProgram)) return 'a program'
  if (ownerProgram === SYSVAR_OWNER) return 'an account of the chain itself'
  return TOKEN_PROGRAMS.has(ownerProgram) ? "a token's mint or token account" : null
}
