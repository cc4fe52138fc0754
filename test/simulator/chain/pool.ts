// Several nodes used as one, by the rules of the real pool, in simulated time: the first healthy node is called, the
// next takes over, and a failed node rests. Kit's own codec reads the answers.
import { createSolanaRpcFromTransport, isJsonRpcPayload, type RpcTransport } from '@solana/kit'
import { faultOf } from '#adapters/solana/rpc/answer-faults.ts'
import type { ProviderAnswer, Question } from '#adapters/solana/rpc/provider.ts'
import type { ProviderFault, ProviderFaultKind } from '#adapters/solana/rpc/provider-fault.ts'
import type { RpcPool } from '#adapters/solana/rpc/rpc-pool.ts'
import { ServiceError } from '#core/errors.ts'
import { virtualNow } from '../virtual-time.ts'
import { NodeRefusal, type SimulatedNode } from './node.ts'

const REST_MS: Readonly<Partial<Record<ProviderFaultKind, number>>> = { behind: 1_000, refused: 0 }
const MAX_REST_MS = 60_000
const WAIT_MS = 5_000
const BEHIND_WAIT_MS = 200

/** One call on its way to a node and back, where faults may happen to it. */
export type Carry = (node: SimulatedNode, method: string, ask: () => unknown) => Promise<unknown>

export function createSimulatedPool(
  nodes: readonly SimulatedNode[],
  carry: Carry,
  sleep: (ms: number) => Promise<void>,
): Pick<RpcPool, 'ask' | 'askEach' | 'size'> {
  const providers = nodes.map((node) => createProvider(node, carry))

  const round = async <T>(question: Question<T>, conclusive: (answer: T) => boolean) => {
    let kept: { readonly answer: T } | null = null
    const faults: ProviderFault[] = []
    for (const provider of providers.toSorted((a, b) => a.restUntil() - b.restUntil())) {
      const outcome = await provider.put(question)
      if ('fault' in outcome) faults.push(outcome.fault)
      else if (conclusive(outcome.answer)) return outcome
      else kept ??= outcome
    }
    return kept ?? { faults }
  }

  return {
    async ask(method, question, conclusive = () => true) {
      for (let waited = 0; ; waited += BEHIND_WAIT_MS) {
        const outcome = await round(question, conclusive)
        if ('answer' in outcome) return outcome.answer
        const passes = outcome.faults.some(({ kind }) => kind === 'behind')
        if (!passes || waited > WAIT_MS) throw new ServiceError('chain_unavailable', { method })
        await sleep(BEHIND_WAIT_MS)
      }
    },
    askEach: (_method, question, except = null) =>
      providers.filter(({ number }) => number !== except).map((provider) => provider.put(question)),
    size: providers.length,
  }
}

function createProvider(node: SimulatedNode, carry: Carry) {
  const transport: RpcTransport = async <T>({ payload }: Parameters<RpcTransport>[0]) => {
    if (!isJsonRpcPayload(payload)) throw new TypeError('not a JSON-RPC call')
    const { method, params } = payload
    const result = await carry(node, method, () => node.answer(method, params as readonly unknown[]))
    return { jsonrpc: '2.0', id: '1', result } as T
  }
  const rpc = createSolanaRpcFromTransport(transport)
  const { signal: abortSignal } = new AbortController()
  const raw = async (method: string, params: readonly unknown[]): Promise<ArrayBuffer> => {
    const answer = await carry(node, method, () => answerOf(() => node.answer(method, params)))
    const text = JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value))
    return new TextEncoder().encode(text).buffer
  }
  const call = { provider: node.number, rpc, raw, abortSignal }
  let failures = 0
  let resting = 0
  return {
    number: node.number,
    restUntil: () => (resting > virtualNow() ? resting : 0),
    async put<T>(question: Question<T>): Promise<ProviderAnswer<T>> {
      try {
        const answer = await question(call)
        failures = 0
        resting = 0
        return { answer }
      } catch (error) {
        const fault = faultOf(error)
        if (fault.kind !== 'refused') {
          resting = virtualNow() + (REST_MS[fault.kind] ?? Math.min(MAX_REST_MS, 1_000 * 2 ** Math.min(failures, 10)))
          if (fault.kind !== 'behind') failures += 1
        }
        return { fault }
      }
    },
  }
}

/** A refusal is an answer too, as it arrives over the wire. */
function answerOf(ask: () => unknown): unknown {
  try {
    return { jsonrpc: '2.0', id: '1', result: ask() }
  } catch (error) {
    if (!(error instanceof NodeRefusal)) throw error
    return { jsonrpc: '2.0', id: '1', error: { code: error.code, message: error.message } }
  }
}
