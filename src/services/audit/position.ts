// The position of the reconciliation, for the next leader and for the operator.
import type { Network } from '#core/chain/types.ts'
import { isRecord } from '#core/json.ts'
import type { SettingStore } from '#ports/platform.ts'

export type Position = {
  /** Every address up to this intent index is judged in this round, halted, or has a surplus that is undecided. */
  readonly afterIndex: number
  /** When the last run ended; null before the first. */
  readonly ranAt: Date | null
}

const keyOf = (network: Network): string => `reconciler:${network}`

export async function readPosition(settings: Pick<SettingStore, 'read'>, network: Network): Promise<Position> {
  const stored = await settings.read(keyOf(network))
  const { afterIndex, ranAt } = isRecord(stored) ? stored : {}
  const isIndex = typeof afterIndex === 'number' && Number.isSafeInteger(afterIndex) && afterIndex > 0
  const at = new Date(typeof ranAt === 'string' ? ranAt : Number.NaN)
  return { afterIndex: isIndex ? afterIndex : 0, ranAt: Number.isNaN(at.getTime()) ? null : at }
}

export const writePosition = (
  settings: Pick<SettingStore, 'write'>,
  network: Network,
  { afterIndex, ranAt }: Position,
): Promise<void> => settings.write(keyOf(network), { afterIndex, ranAt: ranAt?.toISOString() ?? null })
