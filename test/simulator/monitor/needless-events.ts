// Checks that each event shows something new. Dust costs a stranger hardly anything, so only the first of it has an event.
// docs/contract.md, "Dust"; docs/limits.md, "Records and load".
import { SOL } from '#core/chain/types.ts'
import type { IntentChange } from '#core/payments/change.ts'
import type { Deposit, PaymentIntent } from '#core/payments/payment-intent.ts'
import type { IntentEventType } from '#core/payments/transitions.ts'
import { NETWORK_FEE } from '../stage.ts'
import type { Findings } from './findings.ts'
import type { Memory } from './memory.ts'
import { textOf } from './text-of.ts'

const RULE = 'an event shows something new'

/** In lamports. A refund has two signatures and repays the network fee, so this is too small to return at any priority fee. */
const SMALL = 10_000n + NETWORK_FEE

/** A token may have no price at the moment, and then no amount of it is known to be small. */
const isSmall = ({ asset, amount }: Deposit): boolean => asset === SOL && amount <= SMALL

/** What these events are about. */
const SUBJECTS: Readonly<Partial<Record<IntentEventType, (intent: PaymentIntent) => unknown>>> = {
  'intent.settlement_updated': ({ settlement, received }) => [settlement, received],
  'intent.token_refund_updated': ({ tokenRefunds }) => tokenRefunds,
}

const keyOf = ({ signature, account, asset }: Deposit): string => `${signature} ${account} ${asset}`

const isLate = ({ use }: Deposit): boolean => use === 'late'

export function watchNeedlessEvents(findings: Findings, memory: Memory) {
  /** By payment: its late payments, as they were written last. */
  const known = memory.map<string, ReadonlyMap<string, Deposit>>()

  const checkLate = ({ before, deposits, events }: IntentChange): void => {
    const earlier = new Map(known.get(before.id))
    if (events.some(({ type }) => type === 'intent.late_payment')) {
      const hasSmall = [...earlier.values()].some(isSmall)
      const fresh = deposits.filter((deposit) => isLate(deposit) && !earlier.has(keyOf(deposit)))
      findings.check(
        RULE,
        fresh.some((deposit) => !isSmall(deposit) || !hasSmall),
        () => `intent ${before.derivationIndex}: a late payment of ${fresh.map(({ amount }) => amount).join(', ')}`,
      )
    }
    for (const deposit of deposits) {
      if (isLate(deposit)) earlier.set(keyOf(deposit), deposit)
      else earlier.delete(keyOf(deposit))
    }
    known.set(before.id, earlier)
  }

  const checkSubjects = ({ before, events }: IntentChange): void => {
    let last = before
    for (const { type, intent } of events) {
      const subjectOf = SUBJECTS[type]
      if (subjectOf !== undefined) {
        const [was, is] = [textOf(subjectOf(last)), textOf(subjectOf(intent))]
        findings.check(RULE, was !== is, () => `intent ${intent.derivationIndex}: ${type} shows ${is} again`)
      }
      last = intent
    }
  }

  return {
    onApplied(change: IntentChange): void {
      checkLate(change)
      checkSubjects(change)
    },
  }
}
