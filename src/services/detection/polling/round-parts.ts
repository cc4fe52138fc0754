// Divides the watches of a round into two reads: urgent ones, and all others. One failed call fails a whole read, so
// the others, which can be many more, neither delay nor fail the urgent ones.
import { ACCOUNTS_PER_CALL } from '#core/chain/full-calls.ts'
import { accountsIn, type Watch } from './watch-list.ts'

/** Returns the two reads, each watch once. The last call for urgent watches is filled up with others. */
export function partsOf(
  urgent: readonly Watch[],
  others: readonly Watch[],
): readonly [readonly Watch[], readonly Watch[]] {
  const first = new Set(urgent)
  const left = [...new Set(others)].filter((watch) => !first.has(watch))
  const accounts = accountsIn([...first])
  let free = Math.ceil(accounts / ACCOUNTS_PER_CALL) * ACCOUNTS_PER_CALL - accounts
  const filling = left.findIndex((watch) => {
    free -= watch.accounts.length
    return free < 0
  })
  const filled = filling === -1 ? left.length : filling
  return [[...first, ...left.slice(0, filled)], left.slice(filled)]
}
