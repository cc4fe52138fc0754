// Finds the transactions of a block that paid a watched address, from the balances that the chain records with every
// transaction: lamports by account and tokens by owner, so that every mint and every token account is seen.

import { observedTransaction, plausibleTime } from '#adapters/solana/rpc/observed-transaction.ts'
import { makeAddress, makeSignature } from '#core/chain/base58.ts'
import type { Address, ObservedTransaction, Signature } from '#core/chain/types.ts'
import type { BlockNotice, ScannedBlock } from '#ports/blocks.ts'
import type { AddressSet } from './address-set.ts'

/** The parts of a `getBlock` answer (transactionDetails `accounts`) that are read. Amounts of lamports are doubles. */
type Answer = { readonly error?: unknown; readonly result?: RawBlock | null }
type RawBlock = {
  readonly blockhash: string
  readonly previousBlockhash: string
  readonly parentSlot: number
  readonly blockTime: number | null
  readonly transactions: readonly RawTransaction[]
}
type RawTransaction = {
  readonly transaction: {
    readonly signatures: readonly string[]
    readonly accountKeys: readonly { readonly pubkey: string; readonly signer: boolean }[]
  }
  readonly meta: {
    readonly err: unknown
    readonly preBalances: readonly number[]
    readonly postBalances: readonly number[]
    readonly preTokenBalances?: readonly RawTokenBalance[] | null
    readonly postTokenBalances?: readonly RawTokenBalance[] | null
  }
}
type RawTokenBalance = {
  readonly accountIndex: number
  readonly mint: string
  readonly owner?: string
  readonly uiTokenAmount: { readonly amount: string }
}

/** `refused` holds the JSON-RPC error as it came. */
export type MatchedAnswer =
  | { readonly kind: 'block'; readonly block: ScannedBlock }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly error: unknown }
  | { readonly kind: 'malformed' }

/** Matches the JSON text of an answer to `getBlock`. Never throws: an answer that makes no sense is `malformed`. */
export function matchAnswer(slot: bigint, text: string, watched: Pick<AddressSet, 'mayHave'>): MatchedAnswer {
  try {
    const answer: Answer = JSON.parse(text)
    if (answer.error !== undefined && answer.error !== null) return { kind: 'refused', error: answer.error }
    const raw = answer.result
    return raw === null || raw === undefined ? { kind: 'none' } : { kind: 'block', block: match(slot, raw, watched) }
  } catch {
    return { kind: 'malformed' }
  }
}

function match(slot: bigint, raw: RawBlock, watched: Pick<AddressSet, 'mayHave'>): ScannedBlock {
  const time = plausibleTime(raw.blockTime === null ? null : BigInt(raw.blockTime))
  const notices: BlockNotice[] = []
  for (const one of raw.transactions) {
    // A failed transaction moved only the fee of its sender.
    if (one.meta.err !== null) continue
    const owners = new Set<string>()
    findLamports(one, watched, owners)
    findTokens(one, watched, owners)
    if (owners.size > 0) notices.push(noticeOf(slot, time, one, [...owners].map(makeAddress)))
  }
  return {
    slot,
    blockhash: makeAddress(raw.blockhash),
    parentSlot: BigInt(raw.parentSlot),
    parentBlockhash: makeAddress(raw.previousBlockhash),
    time,
    notices,
  }
}

function findLamports({ transaction, meta }: RawTransaction, watched: Pick<AddressSet, 'mayHave'>, found: Set<string>) {
  const { accountKeys } = transaction
  const { preBalances, postBalances } = meta
  if (accountKeys.length !== preBalances.length || accountKeys.length !== postBalances.length)
    throw new RangeError('balances do not match accounts')
  for (let at = 0; at < accountKeys.length; at += 1) {
    const before = preBalances[at] ?? 0
    const after = postBalances[at] ?? 0
    // Beyond 2^53 two amounts that differ may look the same.
    if (after <= before && Number.isSafeInteger(after)) continue
    const account = accountKeys[at]?.pubkey ?? ''
    if (watched.mayHave(account)) found.add(account)
  }
}

function findTokens({ meta }: RawTransaction, watched: Pick<AddressSet, 'mayHave'>, found: Set<string>): void {
  for (const { owner, accountIndex, mint, uiTokenAmount } of meta.postTokenBalances ?? []) {
    if (owner === undefined || !watched.mayHave(owner)) continue
    const before = meta.preTokenBalances?.find((pre) => pre.accountIndex === accountIndex && pre.mint === mint)
    if (BigInt(uiTokenAmount.amount) > BigInt(before?.uiTokenAmount.amount ?? 0)) found.add(owner)
  }
}

/**
 * Returns the notice of a transaction. When its balances make no sense it is read by its signature, not the whole
 * block.
 */
function noticeOf(slot: bigint, time: Date | null, one: RawTransaction, owners: readonly Address[]): BlockNotice {
  const signature = makeSignature(one.transaction.signatures[0] ?? '')
  try {
    return { signature, owners, transaction: exactly(signature, slot, time, one) }
  } catch {
    return { signature, owners, transaction: null }
  }
}

/** Returns the transaction; null when an amount exceeds what a double holds exactly. */
function exactly(
  signature: Signature,
  slot: bigint,
  blockTime: Date | null,
  { transaction, meta }: RawTransaction,
): ObservedTransaction | null {
  if (![...meta.preBalances, ...meta.postBalances].every(Number.isSafeInteger)) return null
  const landed = {
    slot,
    blockTime: null,
    transaction: {
      message: {
        accountKeys: transaction.accountKeys.map(({ pubkey }) => makeAddress(pubkey)),
        // The signers come first.
        header: { numRequiredSignatures: transaction.accountKeys.filter(({ signer }) => signer).length },
      },
    },
    meta: {
      err: null,
      preBalances: meta.preBalances.map(BigInt),
      postBalances: meta.postBalances.map(BigInt),
      preTokenBalances: meta.preTokenBalances?.map(tokenBalance) ?? null,
      postTokenBalances: meta.postTokenBalances?.map(tokenBalance) ?? null,
    },
  }
  // The answer has no instructions, and so no memos.
  return { ...observedTransaction(signature, landed, []), blockTime }
}

const tokenBalance = ({ accountIndex, mint, owner, uiTokenAmount }: RawTokenBalance) => ({
  accountIndex,
  mint: makeAddress(mint),
  ...(owner === undefined ? {} : { owner: makeAddress(owner) }),
  uiTokenAmount,
})
