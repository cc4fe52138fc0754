// A claimed obligation is put aside before anything of it was signed, and its intent is told in the same transaction.
import type { Network } from '#core/chain/types.ts'
import { type Decision, type IntentFacts, moved, UNCHANGED } from '#core/intents/change.ts'
import { bookHeld } from '#core/transfers/booking.ts'
import type { LeasedTransfer, Transfer } from '#core/transfers/transfer.ts'
import type { IntentWorkStore, TransferStore } from '#ports/stores.ts'
import { decideAndApply } from '#services/decide.ts'
import type { ReadSurroundings } from '#services/deposits/surroundings.ts'

export type SetAside = {
  /** A person has to look: it keeps its claim until then. */
  hold(network: Network, leased: Pick<LeasedTransfer, 'transfer' | 'lease'>, reason: string): Promise<void>
}

export type SetAsideDeps = {
  readonly transfers: Pick<TransferStore, 'hold'>
  readonly intents: Pick<IntentWorkStore, 'facts' | 'apply'>
  readonly surroundings: ReadSurroundings
}

export function createSetAside({ transfers, intents, surroundings }: SetAsideDeps): SetAside {
  return {
    async hold(network, { transfer, lease }, reason) {
      // No status speaks of a token account's rent.
      if (transfer.intentId === null || transfer.kind === 'rent') return await transfers.hold(lease, reason)
      const around = await surroundings(network)
      await decideAndApply(intents, transfer.intentId, (facts) =>
        ifUnderWay(facts, transfer, (current) => moved(bookHeld({ facts, transfer: current, around }, lease, reason))),
      )
    },
  }
}

function ifUnderWay(facts: IntentFacts, { id }: Transfer, decide: (current: Transfer) => Decision): Decision {
  const current = facts.transfers.find((transfer) => transfer.id === id)
  return current?.status === 'in_progress' ? decide(current) : UNCHANGED
}
