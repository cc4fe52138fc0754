// Chooses how deposits are found: address by address, at a cost that grows with the addresses, or block by block, at a
// fixed cost. The cheaper way wins, with a margin and a pause, so that the choice does not change every minute.

export const DEPOSIT_SOURCES = ['polling', 'blocks'] as const
export type DepositSourceKind = (typeof DEPOSIT_SOURCES)[number]

export type SourceCosts = {
  /** RPC calls a minute for reading every watched account as often as it is due. */
  readonly polling: number
  /** The same without account notices. */
  readonly unnoticed: number
  /** RPC calls a minute for reading every block. */
  readonly blocks: number
  /** How many other calls one for a block counts as: large providers charge ten times as much for it. */
  readonly blockCredits: number
}

export type SourceChoice = { readonly source: DepositSourceKind; readonly reason: string }

/** How much cheaper the other way has to be before the service changes to it. */
export const MOVE_WHEN_CHEAPER_BY = 1.25
/** The pause after a change, or a start, before the next change. */
export const REST_AFTER_MOVE_MS = 10 * 60_000

/** A group of accounts that is read in full calls of `perCall`, once in `everyMs`. */
export type PolledGroup = { readonly accounts: number; readonly everyMs: number }

export const pollingCallsPerMinute = (groups: readonly PolledGroup[], perCall = 100): number =>
  groups.reduce((sum, { accounts, everyMs }) => sum + (Math.ceil(accounts / perCall) * 60_000) / everyMs, 0)

/** `sinceMs`: how long ago it was last changed; null for never. */
export function chooseSource(
  now: { readonly source: DepositSourceKind; readonly sinceMs: number | null },
  costs: SourceCosts,
): SourceChoice {
  const unnoticed = costs.unnoticed > costs.polling ? `, ${rounded(costs.unnoticed)} without account notices` : ''
  const credits = { polling: costs.polling, blocks: costs.blocks * costs.blockCredits }
  const counted = costs.blockCredits > 1 ? `, which count as ${rounded(credits.blocks)}` : ''
  const figures = `polling would cost ${rounded(costs.polling)} calls a minute${unnoticed}, blocks ${rounded(costs.blocks)}${counted}`
  const other = now.source === 'polling' ? 'blocks' : 'polling'
  if (credits[now.source] <= credits[other] * MOVE_WHEN_CHEAPER_BY)
    return { source: now.source, reason: `${figures}: no reason to change` }
  if (now.sinceMs !== null && now.sinceMs < REST_AFTER_MOVE_MS)
    return { source: now.source, reason: `${figures}: changed too lately to change again` }
  return { source: other, reason: figures }
}

const rounded = (calls: number): string => String(Math.round(calls))
