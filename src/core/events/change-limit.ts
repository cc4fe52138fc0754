// How often people may change one payment or one subscription: each change emits an event, and a webhook for it. Spec: "Events";
// docs/billing.md, "The portal".

/** The selections of the buyer of one payment, or the changes of the subscriber of one subscription. */
export const MAX_CHANGES = 15
const WITHIN_MS = 5 * 60_000

/** Returns the milliseconds until another change is possible; 0 when it is now. `newest` has the newest changes first. */
export function waitToChange(newest: readonly Date[], now: Date): number {
  const first = newest[MAX_CHANGES - 1]
  return first === undefined ? 0 : Math.max(0, first.getTime() + WITHIN_MS - now.getTime())
}
