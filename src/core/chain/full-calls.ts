// Reads of accounts in calls that are as full as the RPC interface permits.

/** The accounts of a full `getMultipleAccounts` call. */
export const ACCOUNTS_PER_CALL = 100

/**
 * Divides items into calls, in their order. All accounts of an item are in one call, so that they are read at one slot.
 * `accountsOf` returns the number of its accounts.
 */
export function inCalls<Item>(
  items: readonly Item[],
  accountsOf: (item: Item) => number,
): readonly (readonly Item[])[] {
  const calls: Item[][] = []
  let room = 0
  for (const item of items) {
    room -= accountsOf(item)
    const call = room < 0 ? undefined : calls.at(-1)
    if (call === undefined) {
      calls.push([item])
      room = ACCOUNTS_PER_CALL - accountsOf(item)
    } else call.push(item)
  }
  return calls
}
