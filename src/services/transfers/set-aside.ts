// A claimed obligation is put aside before anything of it was signed, and its intent is told in the same transaction.

import type { Undeliverable } from '#core/payments/booking/preflight.ts'
import { bookDusty, bookHeld, bookUndeliverable } from '#core/payments/booking/set-aside.ts'
import { type IntentChange, type IntentFacts, moved, UNCHANGED } from '#core/payments/machine/change.ts'
import type { DecisionContext } from '#core/payments/machine/decision-context.ts'
import { isLeasedBy, type LeasedTransfer, type Transfer } from '#core/transfers/transfer.ts'
import type { IntentWorkStore, TransferStore } from '#ports/stores.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import type { ReadDecisionContext } from '#services/payments/decision-context.ts'

type Claimed = Pick<LeasedTransfer, 'transfer' | 'lease'>

export type SetAside = {
  /** A person has to look: it keeps its claim until then. */
  hold(leased: Claimed, reason: string): Promise<void>
  /** Plans again what it was to move, without the legs that cannot arrive. */
  withoutThem(leased: Claimed, reason: string, undeliverable: readonly Undeliverable[]): Promise<void>
  /** Planned again because of dust beside it. False while it is better to wait, and then nothing has changed. */
  forDust(leased: Claimed, reason: string): Promise<boolean>
}

export type SetAsideDeps = {
  readonly transfers: Pick<TransferStore, 'hold'>
  readonly intents: Pick<IntentWorkStore, 'facts' | 'apply'>
  readonly decisionContext: ReadDecisionContext
}

type About = { readonly facts: IntentFacts; readonly transfer: Transfer; readonly context: DecisionContext }

export function createSetAside({ transfers, intents, decisionContext }: SetAsideDeps): SetAside {
  const decide = async (
    { transfer, lease }: Claimed,
    book: (about: About) => IntentChange | null,
  ): Promise<boolean> => {
    const { intentId } = transfer
    if (intentId === null) return false
    const context = await decisionContext(transfer.network)
    let change: IntentChange | null = null
    await decideAndApply(intents, intentId, (facts) => {
      const current = facts.transfers.find(({ id }) => id === transfer.id)
      change = isLeasedBy(lease, current) ? book({ facts, transfer: current, context }) : null
      return change === null ? UNCHANGED : moved(change)
    })
    return change !== null
  }

  return {
    async hold(leased, reason) {
      const { transfer, lease } = leased
      // No status speaks of a token account's rent.
      if (transfer.intentId === null || transfer.kind === 'rent') await transfers.hold(lease, reason)
      else await decide(leased, (about) => bookHeld(about, lease, reason))
    },
    async withoutThem(leased, reason, undeliverable) {
      await decide(leased, (about) => bookUndeliverable(about, leased.lease, reason, undeliverable))
    },
    forDust: (leased, reason) => decide(leased, (about) => bookDusty(about, leased.lease, reason)),
  }
}
