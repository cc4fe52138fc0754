// The range of prices that each allowed asset can express, from prices that are known already: a create waits for no feed.
import type { Network } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import { type CentsRange, expressibleCents } from '#core/money/conversion.ts'
import { isPriceRefusal } from '#core/money/price-rules.ts'
import type { Token } from '#core/tokens/token.ts'
import { msSince } from '#lib/ms-since.ts'
import type { Clock } from '#ports/clock.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { PriceSource } from '#services/prices/price-source.ts'

/** Returns null for an asset without a known price. */
export type PriceRangeOf = (token: Token) => CentsRange | null

export type PriceRanges = {
  readonly rangeOf: PriceRangeOf
  /** Reads the prices of all allowed tokens. To be called about once a minute, and when the allowlist changes. */
  refresh(): Promise<void>
}

/** The age up to which a known price limits the prices of an asset. */
const KNOWN_FOR_MS = 10 * 60_000

export function createPriceRanges(deps: {
  readonly networks: readonly Network[]
  readonly directory: Pick<Directory, 'tokens'>
  readonly prices: Pick<PriceSource, 'pricesFor'>
  readonly minPayable: (token: Token) => Promise<BaseUnits>
  /** Real time, like the times of prices. */
  readonly clock: Clock
}): PriceRanges {
  const known = new Map<string, { readonly range: CentsRange; readonly readAt: number }>()
  const now = () => deps.clock.now().getTime()

  async function read(network: Network): Promise<void> {
    const tokens = [...(await deps.directory.tokens(network)).values()].filter(({ enabled }) => enabled)
    const prices = await deps.prices.pricesFor(tokens)
    for (const token of tokens) {
      const price = prices.get(token.mint)
      if (price === undefined || isPriceRefusal(price)) continue
      const range = expressibleCents(price, token.decimals, await deps.minPayable(token))
      known.set(nameOf(token), { range, readAt: now() })
    }
  }

  return {
    rangeOf(token) {
      const entry = known.get(nameOf(token))
      return entry !== undefined && msSince(entry.readAt, now()) <= KNOWN_FOR_MS ? entry.range : null
    },
    async refresh() {
      await Promise.all(deps.networks.map(read))
    },
  }
}

const nameOf = ({ network, asset }: Token): string => `${network} ${asset}`
