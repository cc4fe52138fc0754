// The parts that alerts of `operator status` are written with.
import { SOL_DECIMALS } from '#core/chain/types.ts'
import { capAtU64, divCeil, type Lamports, makeLamports } from '#core/money/amounts.ts'
import { formatUnits } from '#core/money/conversion.ts'

/** Returns the alert in a list, or an empty list when it does not apply. */
export const when = (holds: boolean, alert: string): readonly string[] => (holds ? [alert] : [])

export const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

/** Returns four fifths of a budget: from there on it is nearly used. */
export const nearlyAll = (budget: Lamports): Lamports => makeLamports(divCeil(budget * 4n, 5n))

export const isNearly = (spent: bigint, budget: Lamports): boolean => spent >= nearlyAll(budget)

export const inSol = (lamports: bigint): string => `${formatUnits(capAtU64(lamports), SOL_DECIMALS)} SOL`

export const inMinutes = (ms: number): string => `${Math.floor(ms / 60_000)} minutes`

/** Ends a sentence with the reason in quotation marks; without a reason, the log has more. */
export const withReason = (reason: string | null): string =>
  reason === null ? ", without a reason yet: see the workers' log." : `: “${reason}”`
