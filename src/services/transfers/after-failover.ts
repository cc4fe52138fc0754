// After a failover of the database, the row of a transaction that was signed just before may be lost while the transaction is
// still on its way. No attempt is prepared until it cannot land any more: then the chain shows it, or it never will.
// docs/money.md, "A database that loses rows".
import { blockHeightOf } from '#core/chain/block-height.ts'
import type { Network } from '#core/chain/types.ts'
import { isRecord } from '#core/json.ts'
import { type Delay, TRY_AGAIN_MS } from '#core/transfers/preflight.ts'
import type { Submitter } from '#ports/chain.ts'
import type { DatabaseLineage } from '#ports/lineage.ts'
import type { SettingStore } from '#ports/settings.ts'

/** Blocks after the last in which it may land: until all of them are final, by a provider that may have been behind. */
const MARGIN_BLOCKS = 64n

/** Returns why no attempt of the network is prepared now; null when nothing may be lost. */
export type AfterFailover = (network: Network) => Promise<Delay | null>

export type AfterFailoverDeps = {
  readonly lineage: Pick<DatabaseLineage, 'timeline'>
  readonly settings: SettingStore
  readonly chainOf: (network: Network) => Pick<Submitter, 'lifetime'>
}

const WAITS: Delay = {
  reason: 'The database was replaced: what was signed before must land first, or be too late.',
  afterMs: TRY_AGAIN_MS,
}

type Stored = { readonly timeline: string; readonly until: string | null }

const keyOf = (network: Network): string => `timeline:${network}`

export function createAfterFailover({ lineage, settings, chainOf }: AfterFailoverDeps): AfterFailover {
  return async (network) => {
    const timeline = await lineage.timeline()
    const known = readStored(await settings.read(keyOf(network)))
    const store = (value: Stored): Promise<void> => settings.write(keyOf(network), value)
    if (known === null) {
      await store({ timeline, until: null })
      return null
    }
    if (known.timeline !== timeline) {
      const { lastValidBlockHeight } = await chainOf(network).lifetime()
      await store({ timeline, until: (lastValidBlockHeight + MARGIN_BLOCKS).toString() })
      return WAITS
    }
    if (known.until === null) return null
    if (blockHeightOf(await chainOf(network).lifetime()) <= BigInt(known.until)) return WAITS
    await store({ timeline, until: null })
    return null
  }
}

function readStored(stored: unknown): Stored | null {
  if (!isRecord(stored) || typeof stored.timeline !== 'string') return null
  return { timeline: stored.timeline, until: typeof stored.until === 'string' ? stored.until : null }
}
