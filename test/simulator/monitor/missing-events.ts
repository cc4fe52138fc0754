// Checks that what is new is in an event. The smallest payments are left out: only the first of them has one.
// docs/webhooks.md, "Refunds, late payments and held money".
import type { IntentChange } from '#core/payments/change.ts'
import type { Deposit, PaymentIntent } from '#core/payments/payment-intent.ts'
import type { Stage } from '../stage.ts'
import type { Findings } from './findings.ts'
import type { Memory } from './memory.ts'
import { textOf } from './text-of.ts'
import { lamportsWorth } from './worth.ts'

const RULE = 'what is new has an event'

/** In lamports: worth more than the return of a payment ever costs. */
const LARGE = 60_000n

export function watchMissingEvents(stage: Pick<Stage, 'mints'>, findings: Findings, memory: Memory) {
  /** By payment: the deposits that are known. */
  const known = memory.map<string, Set<string>>()

  const isLarge = ({ asset, amount }: Deposit): boolean => lamportsWorth(stage, asset, amount) > LARGE

  return {
    onApplied({ before, after, deposits, events }: IntentChange): void {
      const earlier = known.get(before.id) ?? new Set()
      known.set(before.id, earlier)
      // More of a wrong token has no event while the token has no price, which an instance may not have.
      const fresh = deposits.filter((deposit) => {
        const { signature, asset, use } = deposit
        const isKnown = earlier.has(`${signature} ${asset}`) || (use === 'wrong_asset' && earlier.has(asset))
        return isLarge(deposit) && use !== 'unaccepted' && !isKnown
      })
      for (const { signature, asset } of deposits) earlier.add(`${signature} ${asset}`).add(asset)
      const check = (holds: boolean, what: () => string): void =>
        findings.check(RULE, holds, () => `intent ${before.derivationIndex} (${after.status}): ${what()}`)
      check(fresh.length === 0 || events.length > 0, () =>
        fresh.map(({ use, amount }) => `${use} ${amount}`).join(', '),
      )
      // The amounts of a settlement are those of the newest event.
      const shown: PaymentIntent = events.at(-1)?.intent ?? before
      const [is, was] = [after.settlement, shown.settlement].map(textOf)
      check(is === was, () => `the settlement is ${is}, and ${was} is in an event`)
    },
  }
}
