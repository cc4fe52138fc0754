// The only source of time. Everything in core takes `now` as an argument.
export type Clock = { now(): Date }

/** A sandbox's clock: ahead of real time by as much as it was moved, on every instance and after every restart. */
export type MovableClock = Clock & {
  /** Moves it forward for good and answers the new time. Throws RangeError on a negative number of seconds. */
  advance(seconds: number): Promise<Date>
}
