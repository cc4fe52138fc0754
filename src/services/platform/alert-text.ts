// The parts that alerts of `operator status` are written with.
import { SOL_DECIMALS } from '#core/chain/types.ts'
import { capAtU64, type Lamports } from '#core/money/amounts.ts'
import { formatUnits } from '#core/money/conversion.ts'

/** Returns the alert in a list, or an empty list when it does not apply. */
export const when = (holds: boolean, alert: string): readonly string[] => (holds ? [alert] : [])

export const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

/** Returns whether at least four fifths of a budget are used. */
export const isNearly = (spent: bigint, budget: Lamports): boolean => spent * 5n >= budget * 4n

export const inSol = (lamports: bigint): string => `${formatUnits(capAtU64(lamports), SOL_DECIMALS)} SOL`

export const inMinutes = (ms: number): string => `${Math.floor(ms / 60_000)} minutes`

/** Ends a sentence with the reason in quotation marks; without a reason, the log has more. */
export const withReason = (reason: string | null): string =>
  reason === null ? ", without a reason yet: see the workers' log." : `: “${reason}”`
