// After a failover of the database, a transaction may have left an address that its ledger does not have, and what has arrived since
// may hide that in the balance. The history of the account shows both. docs/money.md, "A database that loses rows".
import type { Address, Asset, Signature } from '#core/chain/types.ts'
import { createLru } from '#lib/lru.ts'
import type { HistoryReader } from '#ports/chain.ts'
import type { BookedBalance, TransferStore } from '#ports/transfers.ts'

const REMEMBERED = 10_000
/** Transactions that one search reads. The next one goes on. */
const READ_AT_ONCE = 32

type Source = {
  readonly account: Address
  readonly asset: Asset
  readonly feePayer: Address
  readonly booked: Pick<BookedBalance, 'since'>
  /** Lost transactions may have landed before this slot. */
  readonly lostBefore: bigint
}

/** Returns whether the history of the account may have a transaction of the service that changed its balance and is not in the ledger. */
export type FindUnbooked = (chain: HistoryReader, source: Source) => Promise<boolean>

export function createFindUnbooked({ transfers }: { transfers: Pick<TransferStore, 'bookedOf'> }): FindUnbooked {
  /** The accounts, each with its `lostBefore`, whose ledger has everything. */
  const complete = createLru<string, true>(REMEMBERED)
  /** Transactions of others, and those that only name the account. */
  const harmless = createLru<string, true>(REMEMBERED)
  /** Another provider is asked first after a history that was not whole. */
  let turn = 0

  const isLost = async (
    chain: HistoryReader,
    { account, asset, feePayer }: Source,
    signature: Signature,
  ): Promise<boolean> => {
    const read = await chain.transaction(signature)
    if (read === null) return true
    const isOurs =
      read.feePayer === feePayer && read.changes.some((one) => one.account === account && one.asset === asset)
    if (!isOurs) harmless.set(`${account} ${signature}`, true)
    return isOurs
  }

  return async (chain, source) => {
    const { account, booked, lostBefore } = source
    const name = `${account} ${lostBefore}`
    if (complete.get(name)) return false
    let left = READ_AT_ONCE
    for (let before: Signature | null = null; ; ) {
      const { entries, next } = await chain.signatures(account, { before, turn })
      const since = entries.filter(({ slot }) => slot > booked.since)
      const asked = since.filter(({ failed }) => !failed).map(({ signature }) => signature)
      const known = await transfers.bookedOf(account, asked)
      for (const signature of asked) {
        if (known.has(signature) || harmless.get(`${account} ${signature}`)) continue
        left -= 1
        if (left < 0 || (await isLost(chain, source, signature))) return true
      }
      // What is booked there, or older: a history without it is not whole.
      if (since.length < entries.length) break
      if (next === null) {
        turn += 1
        return true
      }
      before = next
    }
    complete.set(name, true)
    return false
  }
}
