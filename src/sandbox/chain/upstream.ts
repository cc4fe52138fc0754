// The runtime behind the front, spoken to over its own HTTP port.
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { callText, parseExactJson, RPC_CODES, RpcFailure } from './json-rpc.ts'

export type Upstream = {
  /** Returns the result as JSON text. Rejects with RpcFailure when the runtime refuses, with another Error when it is gone. */
  call(method: string, params?: unknown): Promise<string>
  close(): void
}

/** Nothing that the runtime does takes a second; without a limit, one lost answer would hold up all writes. */
const ANSWER_WITHIN_MS = 10_000
const RESULT = '{"jsonrpc":"2.0","result":'

const failureSchema = z.object({
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }),
})

export function createUpstream(url: string): Upstream {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  return {
    call: async (method, params = []) => readResult(await post(url, agent, callText({ id: 1, method, params }))),
    close: () => agent.destroy(),
  }
}

function readResult(reply: string): string {
  if (reply.startsWith(RESULT)) return reply.slice(RESULT.length, reply.lastIndexOf(',"id":'))
  const { code, message, data } = failureSchema.parse(parseExactJson(reply)).error
  // Clients take it that a failed preflight says what failed; a wrong signature comes without, under the same code.
  if (code === RPC_CODES.preflightFailed && data === undefined)
    throw new RpcFailure(RPC_CODES.signatureInvalid, 'Transaction signature verification failure')
  throw new RpcFailure(code, message, data)
}

/**
 * Repeats a call on a fresh connection: a reused one may have been closed in the same moment. All calls can be repeated.
 */
async function post(url: string, agent: Agent, body: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const outgoing = request(url, { method: 'POST', agent, headers, timeout: ANSWER_WITHIN_MS }, (reply) => {
    text(reply).then(resolve, reject)
  })
  outgoing.on('timeout', () => outgoing.destroy(new Error('the Solana runtime does not answer')))
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    if (outgoing.reusedSocket && error.code === 'ECONNRESET') post(url, agent, body).then(resolve, reject)
    else reject(error)
  })
  outgoing.end(body)
  return promise
}
