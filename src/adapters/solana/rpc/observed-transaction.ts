// Reads the balance changes of a transaction from the balances that the chain records before and after it. The thread that reads
// blocks loads this file, and nothing of Solana's kit.
import { type Address, type BalanceChange, type ObservedTransaction, type Signature, SOL } from '#core/chain/types.ts'
import { makeBaseUnits, makeLamports } from '#core/money/amounts.ts'
import { ProviderFault } from './provider-fault.ts'

/** The parts of a `getTransaction` answer (encoding `json`) that are read. */
export type LandedTransaction = {
  readonly slot: bigint
  readonly blockTime: bigint | null
  readonly transaction: {
    readonly message: {
      readonly accountKeys: readonly Address[]
      readonly header: { readonly numRequiredSignatures: number }
      /** `data` is in base58. */
      readonly instructions?: readonly { readonly programIdIndex: number; readonly data: string }[]
    }
  }
  readonly meta: LandedMeta | null
}
type LandedMeta = {
  readonly err: unknown
  readonly preBalances: readonly bigint[]
  readonly postBalances: readonly bigint[]
  readonly preTokenBalances?: readonly TokenBalance[] | null
  readonly postTokenBalances?: readonly TokenBalance[] | null
  readonly loadedAddresses?: { readonly writable: readonly Address[]; readonly readonly: readonly Address[] }
}
type TokenBalance = {
  readonly accountIndex: number
  readonly mint: Address
  readonly owner?: Address
  readonly uiTokenAmount: { readonly amount: string }
}

/** Earlier block times are wrong: some nodes answer with a thousandth of the time. */
const EARLIEST_SECONDS = BigInt(Date.UTC(2001, 0, 1) / 1000)

export const plausibleTime = (seconds: bigint | null): Date | null =>
  seconds === null || seconds < EARLIEST_SECONDS ? null : new Date(Number(seconds) * 1000)

/**
 * Returns the transaction. Throws ProviderFault('malformed') when its balances are missing or do not match its
 * accounts.
 */
export function observedTransaction(
  signature: Signature,
  landed: LandedTransaction,
  memos: readonly string[],
): ObservedTransaction {
  const { meta, transaction } = landed
  const { accountKeys, header } = transaction.message
  const feePayer = accountKeys[0]
  if (meta === null || feePayer === undefined) throw new ProviderFault('malformed')
  const loaded = meta.loadedAddresses
  const accounts = [...accountKeys, ...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])]
  return {
    signature,
    slot: landed.slot,
    blockTime: plausibleTime(landed.blockTime),
    error: errorText(meta.err),
    fee: feeTaken(meta),
    feePayer,
    signers: accountKeys.slice(0, header.numRequiredSignatures),
    accounts,
    memos,
    changes: [...lamportChanges(accounts, meta), ...tokenChanges(accounts, meta)],
  }
}

/** Returns a transaction error as one line of JSON, e.g. `{"InstructionError":[2,{"Custom":1}]}`; null for none. */
export const errorText = (error: unknown): string | null =>
  error === null || error === undefined
    ? null
    : JSON.stringify(error, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value))

/**
 * Returns the whole fee: the lamports that are missing after the transaction, since lamports only move within it. Some
 * nodes leave the priority fee out of their `fee` figure.
 */
const feeTaken = ({ preBalances, postBalances }: LandedMeta) => makeLamports(sum(preBalances) - sum(postBalances))

const sum = (balances: readonly bigint[]): bigint => balances.reduce((total, balance) => total + balance, 0n)

function lamportChanges(accounts: readonly Address[], meta: LandedMeta): BalanceChange[] {
  const { preBalances, postBalances } = meta
  if (preBalances.length !== accounts.length || postBalances.length !== accounts.length)
    throw new ProviderFault('malformed')
  return accounts.flatMap((account, index) => {
    const before = makeBaseUnits(preBalances[index] ?? 0n)
    const after = makeBaseUnits(postBalances[index] ?? 0n)
    return before === after ? [] : [{ account, owner: account, asset: SOL, before, after }]
  })
}

/**
 * Returns the token changes. An account that the transaction made or closed is on one side only; the other side is 0.
 */
function tokenChanges(accounts: readonly Address[], meta: LandedMeta): BalanceChange[] {
  const found = new Map<string, { account: Address; owner: Address; asset: Address; before: bigint; after: bigint }>()
  for (const side of ['before', 'after'] as const) {
    for (const balance of (side === 'before' ? meta.preTokenBalances : meta.postTokenBalances) ?? []) {
      const account = accounts[balance.accountIndex]
      if (account === undefined) throw new ProviderFault('malformed')
      const name = `${account}/${balance.mint}`
      // Blocks from before 2022 do not name the owner; then the account counts as its own owner.
      const owner = balance.owner ?? account
      const change = found.get(name) ?? { account, owner, asset: balance.mint, before: 0n, after: 0n }
      found.set(name, { ...change, owner, [side]: BigInt(balance.uiTokenAmount.amount) })
    }
  }
  return [...found.values()]
    .filter(({ before, after }) => before !== after)
    .map((change) => ({ ...change, before: makeBaseUnits(change.before), after: makeBaseUnits(change.after) }))
}
