// How deposits are looked for: address by address, at a cost that grows with them, or block by block, at a cost that does
// not. Whichever is cheaper, and not the other one a minute later.

export const DEPOSIT_SOURCES = ['polling', 'blocks'] as const
export type DepositSourceKind = (typeof DEPOSIT_SOURCES)[number]

export type SourceCosts = {
  /** RPC calls a minute that reading every watched account as often as is due would take. */
  readonly polling: number
  /** RPC calls a minute that reading every block takes. */
  readonly blocks: number
}

export type SourceChoice = { readonly source: DepositSourceKind; readonly reason: string }

/** Blocks have to be so much cheaper than addresses before it is worth the move, and the other way round. */
export const MOVE_WHEN_CHEAPER_BY = 1.25
/** After a move, or a start, the load may settle before the next. */
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
  const figures = `polling would cost ${rounded(costs.polling)} calls a minute, blocks ${rounded(costs.blocks)}`
  const other = now.source === 'polling' ? 'blocks' : 'polling'
  if (costs[now.source] <= costs[other] * MOVE_WHEN_CHEAPER_BY)
    return { source: now.source, reason: `${figures}: no reason to change` }
  if (now.sinceMs !== null && now.sinceMs < REST_AFTER_MOVE_MS)
    return { source: now.source, reason: `${figures}: changed too lately to change again` }
  return { source: other, reason: figures }
}

const rounded = (calls: number): string => String(Math.round(calls))
