// The list of payments with held money. Anyone can send dust to a payment, so dust neither changes the order of the list nor is
// listed unless it is asked for. docs/limits.md, "Records and load".
import type { Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { largestDustByAsset } from '#core/payments/returns/dust.ts'
import type { DustLimits, HeldStore } from '#ports/held.ts'
import type { ReadDustContext } from '#services/payments/decision-context.ts'
import type { HeldServices } from '#services/payments/held-services.ts'

/** The payments with dust that are counted. */
const MOST_COUNTED = 1_000

export function createHeldList(deps: {
  readonly store: Pick<HeldStore, 'payments' | 'countDust'>
  readonly networks: readonly Network[]
  readonly dustContext: ReadDustContext
}): HeldServices['payments'] {
  const { store, networks, dustContext } = deps
  const readLimits = async (): Promise<DustLimits> =>
    new Map(
      await Promise.all(
        networks.map(async (network) => [network, largestDustByAsset(await dustContext(network))] as const),
      ),
    )

  return async ({ network, accountId, afterIndex, includeDust, limit }) => {
    if (afterIndex !== null && afterIndex < 0) throw new ServiceError('invalid_request', { field: 'afterIndex' })
    const dust = includeDust ? null : await readLimits()
    const found = await store.payments({ network, accountId, afterIndex, dust, limit: limit + 1 })
    const payments = found.slice(0, limit)
    return {
      payments,
      nextIndex: found.length > limit ? (payments.at(-1)?.intentIndex ?? null) : null,
      dustPayments: dust === null ? 0 : await store.countDust({ network, accountId, dust, most: MOST_COUNTED }),
    }
  }
}
