// SOL leaves a deposit address to exactly zero, and a stranger's lamport that arrives between signing and landing makes that
// fail. After some tries the chain's rent minimum stays behind, which no lamport disturbs, and follows when all else is gone.
import { SOL } from '#core/chain/types.ts'
import { add, type BaseUnits, type Lamports, makeBaseUnits } from '#core/money/amounts.ts'
import type { Leg } from '#core/transfers/plan.ts'
import { type NewTransfer, sameSource } from '#core/transfers/transfer.ts'

/** Failed transactions after which no more is tried to empty an address at once. MONEY: shapes that work. */
export const TRIES_TO_EMPTY = 3

/** How the key of what was left behind ends. */
export const LEFT_BEHIND = ':rest'

/** Whether this is what was left behind: it goes last, and keeps its claim for as long as it cannot. */
export const isLeftBehind = ({ key }: Pick<NewTransfer, 'key'>): boolean => key.endsWith(LEFT_BEHIND)

/** The sweep without the rent minimum of what the business gets, and the sweep of just that; null where it gets less. */
export function leaveBehind(sweep: NewTransfer, rentMinimum: Lamports): readonly NewTransfer[] | null {
  const [first, ...others] = sweep.legs
  if (sweep.asset !== SOL || first === undefined || first.amount <= rentMinimum) return null
  const rest: NewTransfer = {
    ...sweep,
    key: `${sweep.key}${LEFT_BEHIND}`,
    round: sweep.round + 1,
    legs: [{ ...first, amount: makeBaseUnits(rentMinimum) }],
  }
  return [{ ...sweep, legs: [withoutRent(first, rentMinimum), ...others] }, rest]
}

/**
 * What was left behind, with what arrived beside it since and is too little to stay: nobody else is owed that, and without
 * it nothing could ever follow. It is a new obligation, because legs never change.
 */
export const takeAlong = (left: NewTransfer, more: BaseUnits, round: number): NewTransfer => ({
  ...sameSource(left),
  key: left.key.replace(/\d+:rest$/, `${round}${LEFT_BEHIND}`),
  kind: left.kind,
  round,
  legs: left.legs.map((leg) => ({ ...leg, amount: add(leg.amount, more) })),
})

/** The leg, less a rent minimum that stays. */
export const withoutRent = (leg: Leg, rentMinimum: Lamports): Leg => ({
  ...leg,
  amount: makeBaseUnits(leg.amount - rentMinimum),
})
