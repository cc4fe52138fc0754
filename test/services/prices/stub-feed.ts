// A feed that the test controls: its answers, their times, and a count of the questions.
import { decimalToPrice } from '#core/money/price.ts'
import type { Price, PricedAsset, PriceFeed } from '#ports/price-feed.ts'

export const SOL: PricedAsset = { feedKey: 'SOL', mint: 'sol-mint' }
export const USDC: PricedAsset = { feedKey: 'USDC', mint: 'usdc-mint' }

export class ManualClock {
  #now = Date.UTC(2026, 2, 1, 12)
  now = (): Date => new Date(this.#now)
  advance(ms: number): void {
    this.#now += ms
  }
}

type Behaviour = (assets: readonly PricedAsset[], signal: AbortSignal) => Promise<ReadonlyMap<string, Price>>

export class StubFeed implements PriceFeed {
  readonly name: string
  readonly questions: string[][] = []
  behaviour: Behaviour

  constructor(name: string, behaviour: Behaviour) {
    this.name = name
    this.behaviour = behaviour
  }

  fetchPrices(assets: readonly PricedAsset[], signal: AbortSignal): Promise<ReadonlyMap<string, Price>> {
    this.questions.push(assets.map((asset) => asset.feedKey))
    return this.behaviour(assets, signal)
  }
}

export const priceOf = (source: string, dollars: string, publishedAt: Date): Price => {
  const decimal = decimalToPrice(dollars)
  if (decimal === undefined) throw new Error(`${dollars} is no price`)
  return { ...decimal, source, publishedAt }
}

/** Answers the given dollars by feed key, published `ageMs` ago. */
export const says =
  (source: string, clock: ManualClock, dollars: Record<string, string>, ageMs = 0): Behaviour =>
  async (assets) => {
    const publishedAt = new Date(clock.now().getTime() - ageMs)
    return new Map(
      assets.flatMap(({ feedKey, mint }) => {
        const text = dollars[feedKey]
        return text === undefined ? [] : [[mint, priceOf(source, text, publishedAt)] as const]
      }),
    )
  }

export const fails =
  (message = 'http_status 500'): Behaviour =>
  async () => {
    throw new Error(message)
  }

/** Never answers, and does not heed its signal either. */
export const hangs: Behaviour = () => new Promise(() => {})

/** Answers only when the test opens it. */
export const held = (behaviour: Behaviour) => {
  const gate = Promise.withResolvers<void>()
  return {
    open: gate.resolve,
    behaviour: (async (assets, signal) => {
      await gate.promise
      return behaviour(assets, signal)
    }) satisfies Behaviour,
  }
}
