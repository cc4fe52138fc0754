// What an operation owes to the tally of its caller, beyond the one point that each of its calls counts.

export type Bill = {
  /** Returns the points that are due, once: the first call that counts pays for the whole operation. */
  take(): number
}

export function createBill(points: number): Bill {
  let due = points - 1
  return {
    take() {
      const taken = due
      due = 0
      return taken
    },
  }
}
