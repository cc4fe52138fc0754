// The faults, how likely each is in this seed, and how often it happened.
import type { Dice } from './dice.ts'

export const FAULTS = [
  'request lost',
  'answer lost',
  'duplicated',
  'delayed',
  'reordered',
  'crash before effect',
  'crash after effect',
  'block skipped',
  'transaction lost',
  'landed without running',
  'landed in its last block',
  'expired at the edge',
  'provider down',
  'provider lagging',
  'provider pruned',
  'provider lying',
  'providers down but one',
  'lease stolen',
  'clock off by a day',
  'price spike',
  'price stale',
  'price feed down',
  'account frozen',
  'account closed',
  'dust',
  'rent changed',
  'fee payer empty',
  'webhook refused',
  'webhook answer lost',
  'notice lost',
  'notices silent',
] as const
/** Faults with a plan of their own, so that none of them has odds. */
export const PLANNED = ['database failed over'] as const
/** Acts of people that the service has to support. */
export const ACTS = [
  'sold for a seller',
  'destination changed',
  'payout changed while it settles',
  'payout account of a payment frozen',
  'payout account of a payment closed',
  'release ordered',
] as const
/** Acts about held money. What is held decides when, so that none of them has odds. */
export const CLAIMS = ['address proposed', 'address approved', 'address declined'] as const
/** Acts of strangers with a few lamports. */
export const STRANGERS = [
  'token dust, account closed',
  'dust in a rhythm',
  'dust twice a second',
  'dust after the end',
  'spam minted',
  'spam taken back',
  'address only named',
  'paid through a relayer',
  'paid by an exchange',
] as const
/** Acts of strangers that follow from the budgets of the seed, so that none of them has odds. */
export const BUDGETED = ['paid for the refund'] as const
/** Events while blocks are read. */
export const BLOCKS = [
  'block read',
  'skipped slot asked for',
  'block left out',
  'block missing',
  'other source of deposits',
] as const
/** Acts and events of subscriptions. People and the world decide when, so that none of them has odds. */
export const SUBSCRIPTIONS = [
  'approve returned',
  'approve sent by the wallet',
  'approve never sent',
  'text signed',
  'text signed for another checkout used',
  'checkout canceled',
  'coupon entered',
  'coupon refused',
  'allowance revoked',
  'allowance given to another',
  'allowance lowered',
  'allowance raised',
  'allowance given again',
  'subscribed again',
  'wallet emptied',
  'wallet refilled',
  'subscriber frozen',
  'subscriber account closed',
  'payout account frozen',
  'payout account closed',
  'payout named differently',
  'subscription paused',
  'subscription resumed',
  'charged now',
  'canceled at once',
  'canceled at the period’s end',
  'first charge retried',
  'renewal asked for',
  'subscription renewed',
  'other tier asked for',
  'tier changed',
  'tier changed by the business',
  'interval changed while periods are missed',
  'paused by the subscriber',
  'canceled by the subscriber',
  'end of the allowance asked for',
  'allowance ended',
  'account changed at a charge',
  'service down for long',
  'subscriptions turned off',
] as const
export type Fault =
  | (typeof FAULTS)[number]
  | (typeof PLANNED)[number]
  | (typeof ACTS)[number]
  | (typeof CLAIMS)[number]
  | (typeof STRANGERS)[number]
  | (typeof BUDGETED)[number]
  | (typeof BLOCKS)[number]
  | (typeof SUBSCRIPTIONS)[number]
export type FaultCounts = Record<Fault, number>

const DRAWN = [...FAULTS, ...ACTS, ...STRANGERS, ...BLOCKS] as const
export const ALL: readonly Fault[] = [...DRAWN, ...PLANNED, ...CLAIMS, ...BUDGETED, ...SUBSCRIPTIONS]

export type Faults = {
  /**
   * Returns true when the fault happens now: by the odds of this seed, and never after the end of the faults. Counts
   * it.
   */
  strikes(fault: Fault): boolean
  /** Counts a fault that happened in another way. */
  count(fault: Fault): void
  readonly counts: FaultCounts
  /** Ends all faults. */
  stop(): void
  readonly over: boolean
}

/** The worst odds of each fault for each chance. A seed draws a share of them, often none. */
const WORST: Readonly<Record<(typeof DRAWN)[number], number>> = {
  'request lost': 0.03,
  'answer lost': 0.03,
  duplicated: 0.03,
  delayed: 0.06,
  reordered: 0.3,
  'crash before effect': 0.002,
  'crash after effect': 0.002,
  'block skipped': 0.3,
  'transaction lost': 0.5,
  'landed without running': 0.2,
  'landed in its last block': 0.4,
  'expired at the edge': 0.3,
  'provider down': 0.1,
  'provider lagging': 0.15,
  'provider pruned': 0.05,
  'provider lying': 0.1,
  'providers down but one': 0.1,
  'lease stolen': 0.5,
  'clock off by a day': 0.12,
  'price spike': 0.3,
  'price stale': 0.3,
  'price feed down': 0.3,
  'account frozen': 0.3,
  'account closed': 0.1,
  dust: 0.3,
  'rent changed': 0.05,
  'fee payer empty': 0.3,
  'webhook refused': 0.3,
  'webhook answer lost': 0.2,
  'notice lost': 0.3,
  'notices silent': 0.1,
  'sold for a seller': 0,
  'destination changed': 0.5,
  'payout changed while it settles': 0,
  'payout account of a payment frozen': 0,
  'payout account of a payment closed': 0,
  'release ordered': 1,
  'token dust, account closed': 0.04,
  'dust in a rhythm': 0.12,
  'dust after the end': 0.4,
  'dust twice a second': 0.2,
  'spam minted': 0.02,
  'spam taken back': 0,
  'address only named': 0.01,
  'paid through a relayer': 0.4,
  'paid by an exchange': 0.5,
  'block read': 0,
  'skipped slot asked for': 0,
  'block left out': 0.1,
  'block missing': 0.1,
  'other source of deposits': 0,
}

export function createFaults(dice: Dice): Faults {
  const odds = new Map<Fault, number>()
  for (const fault of DRAWN) odds.set(fault, dice.chance(0.4) ? 0 : WORST[fault] * dice.fraction())
  const counts = noFaults()
  let over = false
  return {
    strikes(fault) {
      const struck = !over && dice.chance(odds.get(fault) ?? 0)
      if (struck) counts[fault] += 1
      return struck
    },
    count(fault) {
      counts[fault] += 1
    },
    counts,
    stop: () => {
      over = true
    },
    get over() {
      return over
    },
  }
}

export const noFaults = (): FaultCounts => Object.fromEntries(ALL.map((fault) => [fault, 0])) as FaultCounts
