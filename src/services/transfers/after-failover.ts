// After a failover of the database, the row of a transaction that was signed just before may be lost while the transaction is
// still on its way. No attempt is prepared until it cannot land any more: then the chain shows it, or it never will. From then on
// the history of an address shows what the ledger lacks (unbooked.ts).
// docs/money.md, "A database that loses rows".
import { blockHeightOf } from '#core/chain/block-height.ts'
import type { Network } from '#core/chain/types.ts'
import { isRecord } from '#core/json.ts'
import { MAX_U64 } from '#core/money/amounts.ts'
import { type Delay, TRY_AGAIN_MS } from '#core/transfers/preflight.ts'
import type { ChainClock, Submitter } from '#ports/chain.ts'
import type { DatabaseLineage, SettingStore } from '#ports/platform.ts'

/** Blocks after the last in which it may land: until all of them are final, by a provider that may have been behind. */
const MARGIN_BLOCKS = 64n

/** Later slots than the newest one that a provider reports, which may be behind. */
const MARGIN_SLOTS = 1_500n

/**
 * `waits`: why no attempt of the network is prepared now; null when none may be lost that can still land. `lostBefore`: lost
 * transactions may have landed before this slot; null when none was lost. While attempts wait, it is after every slot.
 */
export type Aftermath = { readonly waits: Delay | null; readonly lostBefore: bigint | null }

export type AfterFailover = (network: Network) => Promise<Aftermath>

export type AfterFailoverDeps = {
  readonly lineage: Pick<DatabaseLineage, 'timeline'>
  readonly settings: SettingStore
  readonly chainOf: (network: Network) => Pick<Submitter, 'lifetime'> & ChainClock
}

const WAITS: Aftermath = {
  lostBefore: MAX_U64,
  waits: {
    reason: 'The database was replaced: what was signed before must land first, or be too late.',
    afterMs: TRY_AGAIN_MS,
  },
}

/** `until`: the last block in which a lost transaction may land, while that may be. */
type Stored = { readonly timeline: string; readonly until: string | null; readonly lostBefore: string | null }

const keyOf = (network: Network): string => `timeline:${network}`

export function createAfterFailover({ lineage, settings, chainOf }: AfterFailoverDeps): AfterFailover {
  return async (network) => {
    const timeline = await lineage.timeline()
    const known = readStored(await settings.read(keyOf(network)))
    const store = (value: Stored): Promise<void> => settings.write(keyOf(network), value)
    if (known === null) {
      await store({ timeline, until: null, lostBefore: null })
      return { waits: null, lostBefore: null }
    }
    const chain = chainOf(network)
    if (known.timeline !== timeline) {
      const { lastValidBlockHeight } = await chain.lifetime()
      await store({ timeline, until: (lastValidBlockHeight + MARGIN_BLOCKS).toString(), lostBefore: null })
      return WAITS
    }
    if (known.until === null) return { waits: null, lostBefore: slotOf(known.lostBefore) }
    if (blockHeightOf(await chain.lifetime()) <= BigInt(known.until)) return WAITS
    const lostBefore = (await chain.blockTime()).slot + MARGIN_SLOTS
    await store({ timeline, until: null, lostBefore: lostBefore.toString() })
    return { waits: null, lostBefore }
  }
}

function readStored(stored: unknown): Stored | null {
  if (!isRecord(stored) || typeof stored.timeline !== 'string') return null
  const { timeline, until, lostBefore } = stored
  return { timeline, until: textOf(until), lostBefore: textOf(lostBefore) }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const slotOf = (text: string | null): bigint | null => (text === null ? null : BigInt(text))
