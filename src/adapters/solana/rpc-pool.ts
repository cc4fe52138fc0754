// Several RPC providers used as one: the first that is well is asked, the next takes over, and one that fails rests
// for a while and then comes back by itself.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  createDefaultRpcTransport,
  createSolanaRpcFromTransport,
  isJsonRpcPayload,
  type Rpc,
  type RpcTransport,
  type SolanaRpcApi,
} from '@solana/kit'
import { ServiceError } from '#core/errors.ts'
import type { Clock } from '#ports/clock.ts'
import { faultOf, type ProviderFault } from './provider-fault.ts'
import { providerUrls } from './provider-urls.ts'

export type ProviderCall = { readonly rpc: Rpc<SolanaRpcApi>; readonly abortSignal: AbortSignal }
/** One question to one provider. Throws ProviderFault for an answer that cannot be true or is older than known. */
export type Question<T> = (call: ProviderCall) => Promise<T>

export type ProviderAnswer<T> = { readonly answer: T } | { readonly fault: ProviderFault }
export type ProviderHealth = { readonly provider: number; readonly faults: number; readonly resting: boolean }

export type RpcPool = {
  /**
   * Asks one provider after the other until one answers. An answer that is not `conclusive` is kept while the others
   * are asked for a better one. Rejects with ServiceError('chain_unavailable', {method, providers}).
   */
  ask<T>(method: string, question: Question<T>, conclusive?: (answer: T) => boolean): Promise<T>
  /** Asks every provider at once, resting ones too. The promises never reject. */
  askEach<T>(question: Question<T>): readonly Promise<ProviderAnswer<T>>[]
  /** Calls made so far, by method, failed and repeated ones included. */
  readonly calls: ReadonlyMap<string, number>
  /** In the configured order; `provider` counts from 1 and is the only name that a provider ever gets. */
  health(): readonly ProviderHealth[]
}

export type RpcPoolOptions = {
  readonly urls: readonly string[]
  readonly clock: Clock
  /** How long one call to one provider may take. */
  readonly timeoutMs?: number
  /** Told of every fault, for logs and metrics; what it gets holds no URL. */
  readonly onFault?: (event: { provider: number; method: string; fault: ProviderFault }) => void
}

const DEFAULT_TIMEOUT_MS = 8000
const FIRST_REST_MS = 1000
const LONGEST_REST_MS = 60_000
/** A lagging provider usually catches up within a slot or two. */
const BEHIND_WAIT_MS = 200
const BEHIND_ROUNDS = 10

type Provider = { readonly number: number; readonly rpc: Rpc<SolanaRpcApi>; faults: number; restUntil: number }

export function createRpcPool(options: RpcPoolOptions): RpcPool {
  const { clock, timeoutMs = DEFAULT_TIMEOUT_MS, onFault = () => {} } = options
  const calls = new Map<string, number>()
  const urls = providerUrls('RPC', options.urls, ['https:', 'http:'])
  const providers = urls.map(
    (url, index): Provider => ({
      number: index + 1,
      rpc: createSolanaRpcFromTransport(counted(url, calls)),
      faults: 0,
      restUntil: 0,
    }),
  )
  const now = (): number => clock.now().getTime()

  const inOrder = (): readonly Provider[] => {
    const at = now()
    const restOf = (provider: Provider): number => (provider.restUntil > at ? provider.restUntil : 0)
    return providers.toSorted((a, b) => restOf(a) - restOf(b))
  }

  const put = async <T>(provider: Provider, question: Question<T>, patienceMs: number): Promise<ProviderAnswer<T>> => {
    // Whoever tries a provider that failed last time keeps the others away from it meanwhile.
    if (provider.faults > 0) provider.restUntil = Math.max(provider.restUntil, now() + patienceMs)
    try {
      const answer = await question({ rpc: provider.rpc, abortSignal: AbortSignal.timeout(patienceMs) })
      provider.faults = 0
      provider.restUntil = 0
      return { answer }
    } catch (error) {
      const fault = faultOf(error)
      judge(provider, fault, now())
      return { fault }
    }
  }

  const ask = async <T>(
    method: string,
    question: Question<T>,
    conclusive: (answer: T) => boolean = () => true,
  ): Promise<T> => {
    const reasons: string[] = []
    for (let round = 1; ; round += 1) {
      const order = inOrder()
      let behind = false
      let better: { readonly answer: T } | null = null
      for (const [position, provider] of order.entries()) {
        // A provider known to be ill is not worth a full wait while another stands behind it.
        const patienceMs = provider.faults > 0 && position < order.length - 1 ? Math.ceil(timeoutMs / 4) : timeoutMs
        const outcome = await put(provider, question, patienceMs)
        if ('answer' in outcome) {
          if (conclusive(outcome.answer)) return outcome.answer
          better ??= outcome
        } else {
          behind ||= outcome.fault.kind === 'behind'
          reasons.push(`${provider.number}: ${outcome.fault.message}`)
          onFault({ provider: provider.number, method, fault: outcome.fault })
        }
      }
      if (better !== null) return better.answer
      if (!behind || round === BEHIND_ROUNDS)
        throw new ServiceError('chain_unavailable', { method, providers: reasons.slice(-providers.length) })
      await sleep(BEHIND_WAIT_MS)
    }
  }

  return {
    ask,
    askEach: (question) => providers.map((provider) => put(provider, question, timeoutMs)),
    calls,
    health: () =>
      providers.map(({ number, faults, restUntil }) => ({ provider: number, faults, resting: restUntil > now() })),
  }
}

/** Refusing is an answer and lagging passes within a slot; anything else makes the provider rest, longer each time. */
function judge(provider: Provider, fault: ProviderFault, at: number): void {
  if (fault.kind === 'refused') return
  if (fault.kind === 'behind') {
    provider.restUntil = at + FIRST_REST_MS
    return
  }
  const backoff = FIRST_REST_MS * 2 ** Math.min(provider.faults, 10)
  provider.faults += 1
  provider.restUntil = at + Math.min(LONGEST_REST_MS, Math.max(backoff, fault.retryAfterMs))
}

function counted(url: string, calls: Map<string, number>): RpcTransport {
  const transport = createDefaultRpcTransport({ url })
  return async (request) => {
    const method = isJsonRpcPayload(request.payload) ? request.payload.method : 'unknown'
    calls.set(method, (calls.get(method) ?? 0) + 1)
    return readable(await transport(request))
  }
}

/**
 * Kit takes it for granted that a refused transaction comes with `data` and trips over an answer without; this gives
 * it some, so that a refusal stays a refusal.
 */
function readable<T>(response: T): T {
  if (!isObject(response) || !('error' in response) || !isObject(response.error)) return response
  return 'data' in response.error && isObject(response.error.data)
    ? response
    : { ...response, error: { ...response.error, data: {} } }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
