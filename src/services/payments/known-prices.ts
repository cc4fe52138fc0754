// Prices that are known already, for what must wait for no feed: whether a create has a price that its assets can express, and
// whether money is worth its return.
import { type Network, SOL } from '#core/chain/types.ts'
import { hasCode } from '#core/errors.ts'
import { type CentsRange, expressibleCents } from '#core/money/conversion.ts'
import { type Decimal, isPriceRefusal } from '#core/money/price.ts'
import type { Token } from '#core/tokens/token.ts'
import { msSince } from '#lib/time.ts'
import type { Clock } from '#ports/clock.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { PriceSource } from '#services/prices/price-source.ts'
import type { LeastPayable, ReadLeastPayable, Settling } from './lock-rate.ts'

/** Returns the prices that a payment in an asset can have, by the rate of its marketplace and its tolerance; null without a known price. */
export type PriceRangeOf = (token: Token, payment: Settling) => CentsRange | null

/** Returns dollars per whole unit; null for an asset without a known price. */
export type KnownPriceOf = (token: Token) => Decimal | null

export type KnownPrices = {
  readonly rangeOf: PriceRangeOf
  readonly priceOf: KnownPriceOf
  /** Reads the prices of all allowed tokens. To be called about once a minute, and when the allowlist changes. */
  refresh(): Promise<void>
}

/** The age up to which a price counts as known. */
const KNOWN_FOR_MS = 10 * 60_000

export function createKnownPrices(deps: {
  readonly networks: readonly Network[]
  readonly directory: Pick<Directory, 'tokens'>
  readonly prices: Pick<PriceSource, 'pricesFor'>
  readonly leastPayable: ReadLeastPayable
  /** Real time, like the times of prices. */
  readonly clock: Clock
}): KnownPrices {
  const known = new Map<string, Known>()
  const now = () => deps.clock.now().getTime()

  async function read(network: Network): Promise<void> {
    const all = [...(await deps.directory.tokens(network)).values()]
    // What a return costs is in SOL.
    const tokens = all.filter(({ asset, enabled }) => enabled || asset === SOL)
    const prices = await deps.prices.pricesFor(tokens)
    for (const token of tokens) {
      const price = prices.get(token.mint)
      if (price === undefined || isPriceRefusal(price)) continue
      try {
        known.set(nameOf(token), { price, leastPayable: await deps.leastPayable(token), readAt: now() })
      } catch (error) {
        if (!hasCode(error, 'asset_not_usable')) throw error
      }
    }
  }

  const recent = (token: Token): Known | null => {
    const entry = known.get(nameOf(token))
    return entry !== undefined && msSince(entry.readAt, now()) <= KNOWN_FOR_MS ? entry : null
  }

  return {
    rangeOf(token, payment) {
      const entry = recent(token)
      if (entry === null) return null
      return expressibleCents(entry.price, token.decimals, entry.leastPayable(payment))
    },
    priceOf: (token) => recent(token)?.price ?? null,
    async refresh() {
      await Promise.all(deps.networks.map(read))
    },
  }
}

type Known = { readonly price: Decimal; readonly leastPayable: LeastPayable; readonly readAt: number }

const nameOf = ({ network, asset }: Token): string => `${network} ${asset}`
