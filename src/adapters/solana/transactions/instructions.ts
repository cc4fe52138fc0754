// The few constants that the compiler and the signer must agree on. They share no code beyond this: the signer checks
// the compiler's work and must not repeat its mistakes.
import { address } from '@solana/kit'
import type { Leg } from '#core/transfers/plan.ts'

/** The memo program that every cluster has. Some clusters lack the newest version. */
export const MEMO_PROGRAM_ADDRESS = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

/** Returns the memo for accounts that require one: the role of the leg. */
export const memoOf = (leg: Leg): string => leg.role

/** Token-2022's instruction 26 is the transfer-fee extension, and its 4 harvests withheld fees into the mint. */
export const HARVEST_WITHHELD_TO_MINT: readonly number[] = [26, 4]
