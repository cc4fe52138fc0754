// How often a transfer is planned again before a person decides, and how long it waits in between. docs/money.md,
// "Emptying an address".

/** The rounds of one sweep, or of the refunds to one wallet, that may fail on chain. Each costs the fee payer its fee. */
export const MAX_FAILED_ROUNDS = 5

/** The rounds of the same that may end before they were signed. */
export const MAX_WITHDRAWN_ROUNDS = 10

/** The rounds that may end before the next one leaves the rent minimum at the address, so that dust cannot disturb it. */
export const ROUNDS_TO_EMPTY = 2

const SHORTEST_WAIT_MS = 60_000
const LONGEST_WAIT_MS = 24 * 60 * 60_000

/** Returns the milliseconds until the next round: none at first, then a minute, and with each round twice as long, up to a day. */
export const waitAfter = (rounds: number): number =>
  rounds <= 0 ? 0 : Math.min(SHORTEST_WAIT_MS * 2 ** (rounds - 1), LONGEST_WAIT_MS)
