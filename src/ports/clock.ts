// The only source of time. Everything in core takes `now` as an argument.
export type Clock = { now(): Date }

/** The clock of a sandbox. It keeps its distance from real time on every instance and after every restart. */
export type MovableClock = Clock & {
  /** Moves the clock forward permanently. Returns the new time. Throws RangeError on a negative number of seconds. */
  advance(seconds: number): Promise<Date>
}
