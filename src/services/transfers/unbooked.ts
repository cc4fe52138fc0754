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
  readonly booked: BookedBalance
  /** In base units, as it was after `slot`. */
  readonly balance: bigint
  readonly slot: bigint
  /** Lost transactions may have landed before this slot. */
  readonly lostBefore: bigint
}

/**
 * Returns whether the account may have a transaction of the service that changed its balance and is not in the ledger. It has none when
 * its whole history, back to what is booked, has none, and explains its balance: a provider may lack the newest or the oldest part.
 */
export type FindUnbooked = (chain: HistoryReader, source: Source) => Promise<boolean>

export function createFindUnbooked({ transfers }: { transfers: Pick<TransferStore, 'bookedOf'> }): FindUnbooked {
  /** The accounts, each with its `lostBefore`, whose ledger has everything. */
  const complete = createLru<string, true>(REMEMBERED)
  /** By how much transactions of others changed a balance. */
  const others = createLru<string, bigint>(REMEMBERED)
  /** Another provider is asked first after a history that was not whole. */
  let firstProvider = 0

  return async (chain, source) => {
    const { account, asset, booked, balance, slot: readAt, lostBefore } = source
    const name = `${account} ${asset}`
    if (complete.get(`${name} ${lostBefore}`)) return false
    const covers = { from: booked.since, upTo: readAt }
    let [left, explained, reachesBooked] = [READ_AT_ONCE, booked.amount, false]
    for (let before: Signature | null = null; ; ) {
      const { entries, next } = await chain.signatures(account, { before, firstProvider, covers })
      const asked = entries.flatMap(({ signature, slot, failed }) => (failed || slot > readAt ? [] : [signature]))
      const known = await transfers.bookedOf(account, asked)
      for (const signature of asked.filter((one) => !known.has(one))) {
        let change = others.get(`${name} ${signature}`) ?? null
        if (change === null && left > 0) {
          left -= 1
          change = await changeByOthers(chain, source, signature)
          if (change !== null) others.set(`${name} ${signature}`, change)
        }
        if (change === null) return true
        explained += change
      }
      reachesBooked ||= entries.some(({ slot }) => slot <= booked.since)
      if (next === null) break
      before = next
    }
    const isWhole = reachesBooked && explained === balance
    if (isWhole) complete.set(`${name} ${lostBefore}`, true)
    else firstProvider += 1
    return !isWhole
  }
}

/** Returns by how much the transaction changed the balance; null when it may be a transaction of the service. */
async function changeByOthers(
  chain: HistoryReader,
  { account, asset, feePayer }: Source,
  signature: Signature,
): Promise<bigint | null> {
  const read = await chain.transaction(signature)
  if (read === null) return null
  const change = read.changes.find((one) => one.account === account && one.asset === asset)
  if (change === undefined) return 0n
  return read.feePayer === feePayer ? null : change.after - change.before
}
