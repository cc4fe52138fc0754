// Marks the senders of deposits to whom nothing is returned automatically.
import type { Address } from '#core/chain/types.ts'
import type { Obstacle } from '#core/payments/obstacle.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import type { DepositShare } from '#core/payments/position/shares.ts'

/**
 * Returns the deposits of the shares, with the obstacle of each share's sender. A deposit that has its obstacles already is left
 * out, so that it is not written again.
 */
export function markSenders(
  shares: readonly DepositShare[],
  obstacles: ReadonlyMap<Address, Obstacle>,
): readonly Deposit[] {
  return [...Map.groupBy(shares, ({ deposit }) => deposit)].flatMap(([deposit, parts]) => {
    const marked = new Set(parts.map(({ sender }) => sender))
    const senders = deposit.senders.map((sender) => {
      const obstacle = marked.has(sender.address) ? obstacles.get(sender.address) : undefined
      const stays = obstacle === undefined || sender.obstacle === obstacle || sender.obstacle === 'ambiguous'
      return stays ? sender : { ...sender, obstacle }
    })
    const isChanged = senders.some((sender, at) => sender !== deposit.senders[at])
    return isChanged ? [{ ...deposit, senders }] : []
  })
}
