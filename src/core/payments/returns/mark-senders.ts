// Marks the senders of a deposit to whom nothing is returned automatically.
import type { Address } from '#core/chain/types.ts'
import type { Deposit } from '#core/payments/payment-intent.ts'
import type { Obstacle } from '#core/payments/returns/obstacle.ts'

/**
 * Returns the deposit with the obstacles of its senders; nothing when it has them already: a deposit that stays as it is is not
 * written again.
 */
export function markSenders(deposit: Deposit, obstacles: ReadonlyMap<Address, Obstacle>): readonly Deposit[] {
  const senders = deposit.senders.map((sender) => {
    const obstacle = obstacles.get(sender.address)
    const stays = obstacle === undefined || sender.obstacle === obstacle || sender.obstacle === 'ambiguous'
    return stays ? sender : { ...sender, obstacle }
  })
  const isChanged = senders.some((sender, at) => sender !== deposit.senders[at])
  return isChanged ? [{ ...deposit, senders }] : []
}
