// One RPC provider and how well it has been lately.
import {
  createDefaultRpcTransport,
  createSolanaRpcFromTransport,
  isJsonRpcPayload,
  type Rpc,
  type RpcTransport,
  type SolanaRpcApi,
} from '@solana/kit'
import type { Clock } from '#ports/clock.ts'
import { faultInAnswer, faultOf, httpFault, type ProviderFault } from './provider-fault.ts'

export type ProviderCall = {
  readonly rpc: Rpc<SolanaRpcApi>
  /** The answer as it came, for those that are too large to be parsed here; errors that it tells are the caller's. */
  readonly raw: (method: string, params: readonly unknown[]) => Promise<ArrayBuffer>
  readonly abortSignal: AbortSignal
}
/** One question to one provider. Throws ProviderFault for an answer that cannot be true or is older than known. */
export type Question<T> = (call: ProviderCall) => Promise<T>
export type ProviderAnswer<T> = { readonly answer: T } | { readonly fault: ProviderFault }

export type Provider = {
  /** Counts from 1 and is the only name that a provider ever gets: its URL may hold an API key. */
  readonly number: number
  /** Never rejects; `patienceMs` bounds everything that the question does. */
  put<T>(method: string, question: Question<T>, patienceMs: number): Promise<ProviderAnswer<T>>
  /** Failures since the last answer. */
  faults(): number
  /** Until when, in milliseconds, the others are to be asked first; 0 when it is as good as they are. */
  restUntil(): number
}

export type FaultListener = (event: { provider: number; method: string; fault: ProviderFault }) => void

const FIRST_REST_MS = 1000
const LONGEST_REST_MS = 60_000

export function createProvider(options: {
  readonly number: number
  readonly url: string
  readonly clock: Clock
  /** Raised with every call, by method. */
  readonly calls: Map<string, number>
  readonly onFault: FaultListener
}): Provider {
  const { number, url, clock, calls, onFault } = options
  const rpc = createSolanaRpcFromTransport(counted(url, calls))
  const now = (): number => clock.now().getTime()
  let faults = 0
  let resting = 0

  /** Refusing is an answer and lagging passes within a slot; anything else means rest, longer each time. */
  const judge = ({ kind, retryAfterMs }: ProviderFault): void => {
    if (kind === 'refused') return
    const backoff = FIRST_REST_MS * 2 ** Math.min(faults, 10)
    const rest = kind === 'behind' ? FIRST_REST_MS : Math.min(LONGEST_REST_MS, Math.max(backoff, retryAfterMs))
    if (kind !== 'behind') faults += 1
    resting = now() + rest
  }

  return {
    number,
    async put(method, question, patienceMs) {
      // Whoever tries a provider that failed last time keeps the others away from it meanwhile.
      if (faults > 0) resting = Math.max(resting, now() + patienceMs)
      try {
        const abortSignal = AbortSignal.timeout(patienceMs)
        const raw: ProviderCall['raw'] = (method, params) => fetchRaw(url, calls, { method, params }, abortSignal)
        const answer = await question({ rpc, raw, abortSignal })
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
