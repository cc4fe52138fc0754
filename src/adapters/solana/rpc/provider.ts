// One RPC provider and its recent health.
import {
  createDefaultRpcTransport,
  createSolanaRpcFromTransport,
  isJsonRpcPayload,
  type Rpc,
  type RpcTransport,
  type SolanaRpcApi,
} from '@solana/kit'
import type { Clock } from '#ports/clock.ts'
import { faultInAnswer, faultOf, httpFault } from './answer-faults.ts'
import type { ProviderFault } from './provider-fault.ts'

export type ProviderCall = {
  /** The number of the provider that is asked. */
  readonly provider: number
  readonly rpc: Rpc<SolanaRpcApi>
  /** Returns the bytes of an answer that is too large to be parsed here. The caller handles the errors in it. */
  readonly raw: (method: string, params: readonly unknown[]) => Promise<ArrayBuffer>
  readonly abortSignal: AbortSignal
}
/** One question to one provider. Throws ProviderFault when the answer is malformed or older than a known answer. */
export type Question<T> = (call: ProviderCall) => Promise<T>
export type ProviderAnswer<T> = { readonly answer: T } | { readonly fault: ProviderFault }

export type Provider = {
  /** Counts from 1, and is the provider's only name in messages: its URL may hold an API key. */
  readonly number: number
  /** Asks a question. Never rejects. `timeoutMs` bounds all of the question's calls together. */
  put<T>(method: string, question: Question<T>, timeoutMs: number): Promise<ProviderAnswer<T>>
  /** Returns the failures since the last answer. */
  faults(): number
  /** Returns the failures since the start. */
  failures(): number
  /** Returns how long its answers took lately, in milliseconds; null before the first. */
  latencyMs(): number | null
  /** Returns until when, in milliseconds, the other providers are asked first; 0 when the provider is healthy. */
  restUntil(): number
}

export type FaultListener = (event: { provider: number; method: string; fault: ProviderFault }) => void

/** The weight of the newest answer in the time that answers take. */
const NEWEST_WEIGHT = 0.2

const FIRST_REST_MS = 1000
const MAX_REST_MS = 60_000

export function createProvider(options: {
  readonly number: number
  readonly url: string
  readonly clock: Clock
  /** Counts the calls, by method. */
  readonly calls: Map<string, number>
  readonly onFault: FaultListener
}): Provider {
  const { number, url, clock, calls, onFault } = options
  const rpc = createSolanaRpcFromTransport(counted(url, calls))
  const now = (): number => clock.now().getTime()
  let faults = 0
  let failures = 0
  let latencyMs: number | null = null
  let resting = 0

  /**
   * Sets the rest after a fault: none after a refusal, a short rest after a lag, and a longer rest after each failure.
   */
  const judge = ({ kind, retryAfterMs }: ProviderFault): void => {
    if (kind === 'refused') return
    const backoff = FIRST_REST_MS * 2 ** Math.min(faults, 10)
    const rest = kind === 'behind' ? FIRST_REST_MS : Math.min(MAX_REST_MS, Math.max(backoff, retryAfterMs))
    if (kind !== 'behind') {
      faults += 1
      failures += 1
    }
    resting = now() + rest
  }

  return {
    number,
    async put(method, question, timeoutMs) {
      // While a provider that failed last time is tried, other questions go to other providers first.
      if (faults > 0) resting = Math.max(resting, now() + timeoutMs)
      const asked = now()
      try {
        const abortSignal = AbortSignal.timeout(timeoutMs)
        const raw: ProviderCall['raw'] = (method, params) => fetchRaw(url, calls, { method, params }, abortSignal)
        const answer = await question({ provider: number, rpc, raw, abortSignal })
        const took = now() - asked
        latencyMs = latencyMs === null ? took : latencyMs + (took - latencyMs) * NEWEST_WEIGHT
        faults = 0
        resting = 0
        return { answer }
      } catch (error) {
        const fault = faultOf(error)
        judge(fault)
        onFault({ provider: number, method, fault })
        return { fault }
      }
    },
    faults: () => faults,
    failures: () => failures,
    latencyMs: () => latencyMs,
    restUntil: () => (resting > now() ? resting : 0),
  }
}

function counted(url: string, calls: Map<string, number>): RpcTransport {
  const transport = createDefaultRpcTransport({ url })
  return async <T>(request: Parameters<RpcTransport>[0]) => {
    const method = isJsonRpcPayload(request.payload) ? request.payload.method : 'unknown'
    calls.set(method, (calls.get(method) ?? 0) + 1)
    const answer = await transport<T>(request)
    const fault = faultInAnswer(answer)
    if (fault !== null) throw fault
    return answer
  }
}

async function fetchRaw(
  url: string,
  calls: Map<string, number>,
  call: { readonly method: string; readonly params: readonly unknown[] },
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  calls.set(call.method, (calls.get(call.method) ?? 0) + 1)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal })
  if (response.ok) return await response.arrayBuffer()
  await response.body?.cancel()
  throw httpFault(response.status, response.headers)
}
