// Reads the memos of a transaction.
import { getBase58Encoder } from '@solana/kit'
import { MEMO_PROGRAM_ADDRESS } from '#adapters/solana/transactions/instructions.ts'
import type { LandedTransaction } from './observed-transaction.ts'

const BASE58 = getBase58Encoder()

export function memosOf({ accountKeys, instructions = [] }: LandedTransaction['transaction']['message']): string[] {
  const memos = instructions.filter(({ programIdIndex }) => accountKeys[programIdIndex] === MEMO_PROGRAM_ADDRESS)
  return memos.map(({ data }) => new TextDecoder().decode(BASE58.encode(data)))
}
