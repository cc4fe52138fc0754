// How often the buyer of one intent may choose: each choice emits an event, and a webhook for it (spec: "Events").

export const MAX_SELECTIONS = 15
const WITHIN_MS = 5 * 60_000

/** Returns the milliseconds until another choice is possible; 0 when it is now. `newest` has the newest choices first. */
export function waitToSelect(newest: readonly Date[], now: Date): number {
  const first = newest[MAX_SELECTIONS - 1]
  return first === undefined ? 0 : Math.max(0, first.getTime() + WITHIN_MS - now.getTime())
}
