// Reads one price feed: concurrent readers share a request, and an answer is cached for a moment. A slow feed costs at most
// its deadline, and a failing feed costs that only now and then. Reading never fails: it returns the prices that are known,
// and `health` names the failure.

import type { Price } from '#core/money/price.ts'
import { msSince } from '#lib/time.ts'
import type { Clock } from '#ports/clock.ts'
import type { PricedAsset, PriceFeed } from '#ports/price-feed.ts'

export type FeedHealth = {
  readonly name: string
  /** `unused` until the first answer. */
  readonly status: 'ok' | 'failing' | 'unused'
  readonly lastSuccessAt: Date | null
  readonly lastFailureAt: Date | null
  /** The last failure, without addresses and keys. */
  readonly lastError: string | null
}

export type FeedReaderOptions = {
  readonly clock: Clock
  /** How long one request may take. */
  readonly timeoutMs: number
  /** How long an answer is cached; that an asset is unknown is an answer too. */
  readonly cacheMs: number
  /** How long after a failure no reader waits for the feed. */
  readonly cooldownMs: number
  /** How often the feed is tried in the background during that time, when readers or health checks call. */
  readonly probeMs: number
}

type Answer = { readonly at: number; readonly price: Price | undefined }

export class FeedReader {
  readonly #feed: PriceFeed
  readonly #options: FeedReaderOptions
  /** By asset; the allowlist bounds them all. */
  readonly #answers = new Map<string, Answer>()
  readonly #inFlight = new Map<string, Promise<void>>()
  #lastSuccessAt: Date | null = null
  #lastFailure: { readonly at: Date; readonly error: string; readonly assets: readonly PricedAsset[] } | null = null
  #isFailing = false
  #lastProbeAt = Number.NEGATIVE_INFINITY

  constructor(feed: PriceFeed, options: FeedReaderOptions) {
    this.#feed = feed
    this.#options = options
  }

  /** Returns the prices of `assets` by mint; assets that the feed does not price are left out. Never rejects. */
  async read(assets: readonly PricedAsset[]): Promise<ReadonlyMap<string, Price>> {
    const askedAt = this.#now()
    const missing = assets.filter((asset) => this.#freshAnswer(asset, askedAt) === undefined)
    if (missing.length > 0) {
      if (this.#isCoolingDown()) this.#probe(missing)
      else await this.#request(missing)
    }
    const prices = new Map<string, Price>()
    for (const asset of assets) {
      const price = this.#freshAnswer(asset, askedAt)?.price
      if (price !== undefined) prices.set(asset.mint, price)
    }
    return prices
  }

  /**
   * Returns the state of the feed, and tries a failing feed in the background: an instance that a load balancer has taken
   * out of service has no readers that would notice its recovery.
   */
  health(): FeedHealth {
    if (this.#isFailing && this.#lastFailure !== null) this.#probe(this.#lastFailure.assets)
    return {
      name: this.#feed.name,
      status: this.#isFailing ? 'failing' : this.#lastSuccessAt === null ? 'unused' : 'ok',
      lastSuccessAt: this.#lastSuccessAt,
      lastFailureAt: this.#lastFailure?.at ?? null,
      lastError: this.#lastFailure?.error ?? null,
    }
  }

  #now = (): number => this.#options.clock.now().getTime()

  /**
   * Returns an answer that is still valid. An answer after the question is valid, however short the cache; one from the
   * future is not, because clocks jump.
   */
  #freshAnswer(asset: PricedAsset, askedAt: number): Answer | undefined {
    const answer = this.#answers.get(keyOf(asset))
    if (answer === undefined || answer.at < askedAt - this.#options.cacheMs || answer.at > this.#now()) return undefined
    return answer
  }

  #isCoolingDown(): boolean {
    if (!this.#isFailing || this.#lastFailure === null) return false
    return msSince(this.#lastFailure.at.getTime(), this.#now()) < this.#options.cooldownMs
  }

  #probe(assets: readonly PricedAsset[]): void {
    if (this.#inFlight.size > 0 || msSince(this.#lastProbeAt, this.#now()) < this.#options.probeMs) return
    this.#lastProbeAt = this.#now()
    void this.#request(assets)
  }

  /** Waits for the running requests for some of `assets`, and makes one for the rest. */
  async #request(assets: readonly PricedAsset[]): Promise<void> {
    const unasked = assets.filter((asset) => !this.#inFlight.has(keyOf(asset)))
    if (unasked.length > 0) {
      const attempt = this.#attempt(unasked)
      for (const asset of unasked) this.#inFlight.set(keyOf(asset), attempt)
    }
    await Promise.all(assets.map((asset) => this.#inFlight.get(keyOf(asset))))
  }

  async #attempt(assets: readonly PricedAsset[]): Promise<void> {
    try {
      const prices = await fetchInTime(this.#feed, assets, this.#options.timeoutMs)
      const at = this.#now()
      for (const asset of assets) this.#answers.set(keyOf(asset), { at, price: prices.get(asset.mint) })
      this.#lastSuccessAt = new Date(at)
      this.#isFailing = false
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.#lastFailure = { at: new Date(this.#now()), error: message, assets }
      this.#isFailing = true
    } finally {
      for (const asset of assets) this.#inFlight.delete(keyOf(asset))
    }
  }
}

/** Returns the key of an asset in the cache: two networks may price one mint by different feed keys. */
const keyOf = ({ mint, feedKey }: PricedAsset): string => `${mint} ${feedKey}`

/** Returns the answer of the feed. Rejects at the deadline, even when the feed ignores its signal. */
async function fetchInTime(feed: PriceFeed, assets: readonly PricedAsset[], timeoutMs: number) {
  const signal = AbortSignal.timeout(timeoutMs)
  const answer = feed.fetchPrices(assets, signal)
  const deadline = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`${feed.name}: no answer within ${timeoutMs} ms`)))
  })
  return await Promise.race([answer, deadline])
}
