// Durable nonces of the simulated chain: which transaction uses one, and what its use leaves behind.
import { createHash } from 'node:crypto'
import type { CompiledTransactionMessage } from '@solana/kit'
import type { LiteSVM } from 'litesvm'
import { decodeNonce } from '#adapters/solana/rpc/nonce-data.ts'
import type { Address, Blockhash } from '#core/chain/types.ts'
import { type RawAccount, readRaw, SYSTEM_PROGRAM, writeRaw } from './raw.ts'

export type NonceUse = { readonly account: Address }

/** After the version, the state and the authority. */
const VALUE_AT = 40

/** Returns the nonce that the first instruction of a message uses; null for a message with a blockhash. */
export function nonceUseOf(message: CompiledTransactionMessage): NonceUse | null {
  const [first] = 'instructions' in message ? message.instructions : []
  if (first === undefined || message.staticAccounts[first.programAddressIndex] !== SYSTEM_PROGRAM) return null
  const account = message.staticAccounts[first.accountIndices?.[0] ?? -1]
  return account !== undefined && first.data?.[0] === 4 ? { account } : null
}

/** Returns the value of a nonce account; null for another account. */
export const valueIn = (raw: RawAccount | null): Blockhash | null =>
  raw === null ? null : decodeNonce(raw.owner, raw.data)

/** Gives the account another value, as a cluster does when the transaction itself has failed. */
export function useUp(svm: LiteSVM, { account }: NonceUse): void {
  const raw = readRaw(svm, account)
  if (raw === null) return
  const data = Uint8Array.from(raw.data)
  data.set(
    createHash('sha256')
      .update(data.subarray(VALUE_AT, VALUE_AT + 32))
      .digest(),
    VALUE_AT,
  )
  writeRaw(svm, account, { ...raw, data })
}
