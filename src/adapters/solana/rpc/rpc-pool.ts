// Uses several RPC providers as one: the first healthy provider is asked, and the next takes over when it fails. A
// provider that failed rests for a while.
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '#core/errors.ts'
import type { ProviderHealth } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import { createProvider, type FaultListener, type Provider, type ProviderAnswer, type Question } from './provider.ts'
import type { ProviderFault } from './provider-fault.ts'

export type RpcPool = {
  /**
   * Asks one provider after the other until one answers. An answer that is not `conclusive` is kept while the others
   * are asked for a better one. With another `firstProvider`, counted from 0, another healthy provider is the first, round and
   * round. Rejects with ServiceError('chain_unavailable', {method, providers}).
   */
  ask<T>(method: string, question: Question<T>, conclusive?: (answer: T) => boolean, firstProvider?: number): Promise<T>
  /** Asks every provider at once, resting ones too, but for the provider with the number `except`. The promises never reject. */
  askEach<T>(method: string, question: Question<T>, except?: number | null): readonly Promise<ProviderAnswer<T>>[]
  /** The number of providers. */
  readonly size: number
  /** Calls made so far, by method, failed and repeated ones included. */
  readonly calls: ReadonlyMap<string, number>
  /** Returns the health of each provider, in the configured order. */
  health(): readonly ProviderHealth[]
}

export type RpcPoolOptions = {
  readonly urls: readonly string[]
  readonly clock: Clock
  /** How long one call to one provider may take. */
  readonly timeoutMs?: number
  /** How long a question may wait, in all, for providers that only lag or ask to be called less often. */
  readonly waitMs?: number
  /** Receives every fault, for logs and metrics. A fault contains no URL. */
  readonly onFault?: FaultListener
}

const DEFAULT_TIMEOUT_MS = 8000
const DEFAULT_WAIT_MS = 5000
/** A lagging provider usually catches up within a slot or two. */
const BEHIND_WAIT_MS = 200

export function createRpcPool(options: RpcPoolOptions): RpcPool {
  const { clock, timeoutMs = DEFAULT_TIMEOUT_MS, waitMs = DEFAULT_WAIT_MS, onFault = () => {} } = options
  const calls = new Map<string, number>()
  const providers = providerUrls('RPC', options.urls, ['https:', 'http:']).map((url, index) =>
    createProvider({ number: index + 1, url, clock, calls, onFault }),
  )

  return {
    async ask(method, question, conclusive = () => true, firstProvider = 0) {
      const inTurn = startingAt(providers, firstProvider)
      for (let waited = 0; ; ) {
        const round = await askInTurn(inTurn, method, question, conclusive, timeoutMs)
        if ('answer' in round) return round.answer
        const wait = waitFor(round.faulty, clock.now().getTime())
        waited += wait
        if (wait === 0 || waited > waitMs)
          throw new ServiceError('chain_unavailable', {
            method,
            providers: round.faulty.map(({ provider, fault }) => `${provider.number}: ${fault.message}`),
          })
        await sleep(wait)
      }
    },
    askEach: (method, question, except = null) =>
      providers.filter(({ number }) => number !== except).map((provider) => provider.put(method, question, timeoutMs)),
    size: providers.length,
    calls,
    health: () =>
      providers.map((provider) => ({
        provider: provider.number,
        faults: provider.faults(),
        resting: provider.restUntil() > 0,
        latencyMs: provider.latencyMs(),
        failures: provider.failures(),
      })),
  }
}

/** Returns the providers in their order, round and round from another first one. */
function startingAt(providers: readonly Provider[], firstProvider: number): readonly Provider[] {
  const first = firstProvider % providers.length
  return [...providers.slice(first), ...providers.slice(0, first)]
}

type Faulty = { readonly provider: Provider; readonly fault: ProviderFault }

/**
 * Asks once: healthy providers in the given order, then resting providers, the provider that has rested most first.
 */
async function askInTurn<T>(
  providers: readonly Provider[],
  method: string,
  question: Question<T>,
  conclusive: (answer: T) => boolean,
  timeoutMs: number,
): Promise<{ readonly answer: T } | { readonly faulty: readonly Faulty[] }> {
  const faulty: Faulty[] = []
  let kept: { readonly answer: T } | null = null
  const order = providers.toSorted((a, b) => a.restUntil() - b.restUntil())
  for (const [position, provider] of order.entries()) {
    // A provider that failed last time gets a quarter of the time while another can be asked after it.
    const isSuspect = provider.faults() > 0 && position < order.length - 1
    const outcome = await provider.put(method, question, isSuspect ? Math.ceil(timeoutMs / 4) : timeoutMs)
    if ('fault' in outcome) faulty.push({ provider, fault: outcome.fault })
    else if (conclusive(outcome.answer)) return outcome
    else kept ??= outcome
  }
  return kept ?? { faulty }
}

/** Returns the wait before another round in milliseconds; 0 when no fault says how long to wait. */
function waitFor(faulty: readonly Faulty[], now: number): number {
  const waits = faulty.flatMap(({ provider, fault }) => {
    if (fault.kind === 'behind') return [BEHIND_WAIT_MS]
    return fault.kind === 'rate_limited' ? [Math.max(1, provider.restUntil() - now)] : []
  })
  return waits.length === 0 ? 0 : Math.min(...waits)
}

/** Returns the URLs. Throws an Error that names a bad URL by its place: it may hold an API key. */
export function providerUrls(kind: string, urls: readonly string[], protocols: readonly string[]): readonly string[] {
  if (urls.length === 0) throw new Error(`no ${kind} URL is given`)
  for (const [index, url] of urls.entries())
    if (!URL.canParse(url) || !protocols.includes(new URL(url).protocol))
      throw new Error(`${kind} URL ${index + 1} is no ${protocols.map((protocol) => `${protocol}//`).join(' or ')} URL`)
  return urls
}
