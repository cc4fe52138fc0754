// Posts webhooks: one request with one deadline and no redirects. The start of the answer is kept for people.
import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { WebhookAnswer } from '#core/events/retry-schedule.ts'
import { isPublicAddress, judgeWebhookUrl } from '#core/events/url.ts'
import type { WebhookRequest, WebhookSender } from '#ports/events.ts'

// Resolves names for webhooks. Only public addresses are returned, and the connection is made to a returned address. A
// name that changes its address between check and connection therefore gains nothing.

/** Returns all addresses of a name. Rejects when there are none. */
type ResolveName = (hostname: string) => Promise<readonly LookupAddress[]>

class PrivateAddressError extends Error {
  constructor() {
    super('the address is not on the public internet')
    this.name = 'PrivateAddressError'
  }
}

/**
 * Asks DNS directly. The system's lookup runs on the few threads of the runtime, where two names with a slow name server
 * would delay all others. It also knows private names, which are not wanted here.
 */
export function createPublicResolver(nameServers?: readonly string[]): ResolveName {
  const resolver = new Resolver({ timeout: 2_000, tries: 3 })
  if (nameServers !== undefined) resolver.setServers(nameServers)
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses: LookupAddress[] = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ]
    if (addresses.length === 0) throw v4.status === 'rejected' ? v4.reason : new Error('the name has no address')
    return addresses
  }
}

/** Returns a `lookup` for sockets that gives public addresses only. A name with one private address is refused. */
function guardedLookup(resolve: ResolveName): LookupFunction {
  return (hostname, options, callback) => {
    const fail = (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), [])
    resolve(hostname).then((addresses) => {
      const [first] = addresses
      if (first === undefined) return fail(new Error('the name has no address'))
      if (!addresses.every(({ address }) => isPublicAddress(address))) return fail(new PrivateAddressError())
      if (options.all === true) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    }, fail)
  }
}

export type WebhookSenderOptions = {
  /** Allows plain http and private addresses, and resolves names as the system does. */
  readonly allowPrivate: boolean
  /** The time for everything: name, connection, request and answer. */
  readonly timeoutMs?: number
  readonly resolve?: ResolveName
}

const TIMEOUT_MS = 15_000
/** An answer of at most this size is read to its end, so that the connection can be used again. A larger one ends it. */
const MAX_ANSWER_BYTES = 4_096
/** What is kept of an answer. */
const KEPT_BODY_BYTES = 2_048
const KEPT_HEADER_CHARACTERS = 4_096
/** All that may arrive before an answer: one head, which Node limits to 16 KB, and some informational answers. */
const BEFORE_ANSWER = { bytes: 32_768, informational: 10 } as const
const IDLE_SOCKET_MS = 30_000

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender & { close(): void } {
  const { allowPrivate, timeoutMs = TIMEOUT_MS } = options
  const lookup = allowPrivate ? undefined : guardedLookup(options.resolve ?? createPublicResolver())
  const pooled = { keepAlive: true, timeout: IDLE_SOCKET_MS, ...(lookup && { lookup }) }
  const agents = { http: new HttpAgent(pooled), https: new HttpsAgent(pooled) }

  function open(url: URL, headers: WebhookRequest['headers'], signal: AbortSignal): ClientRequest {
    const details = { method: 'POST', headers, signal }
    return url.protocol === 'https:'
      ? httpsRequest(url, { ...details, agent: agents.https })
      : httpRequest(url, { ...details, agent: agents.http })
  }

  return {
    async send(request) {
      const judged = judgeWebhookUrl(request.url, { allowPrivate })
      if ('refused' in judged) return unanswered(`the URL is refused: ${judged.refused}`)
      const deadline = new AbortController()
      const timer = setTimeout(() => deadline.abort(), timeoutMs)
      try {
        return await onFreshSocket(() => exchange(open(judged.url, request.headers, deadline.signal), request.body))
      } catch (error) {
        return unanswered(deadline.signal.aborted ? `no answer within ${timeoutMs / 1_000} s` : explain(error))
      } finally {
        clearTimeout(timer)
      }
    },

    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

function exchange(outgoing: ClientRequest, body: string): Promise<WebhookAnswer> {
  return new Promise((resolve, reject) => {
    let isAnswered = false
    const fail = (error: Error) => {
      if (!isAnswered) reject(outgoing.reusedSocket ? new ReusedSocketError(error) : error)
    }
    outgoing.on('error', fail)
    // Every request ends with this event, and some without any other.
    outgoing.once('close', () => fail(new ClosedError()))
    limitBeforeAnswer(outgoing, () => isAnswered)
    const answer = ({ statusCode = 0, headers }: IncomingMessage, body: string) =>
      resolve({ kind: 'answered', statusCode, headers: startOf(headers), body })
    outgoing.once('upgrade', (incoming, socket) => {
      isAnswered = true
      socket.destroy()
      answer(incoming, '')
    })
    outgoing.once('response', (incoming) => {
      isAnswered = true
      void read(incoming).then((body) => answer(incoming, body))
    })
    outgoing.end(body)
  })
}

/** Ends a request whose receiver sends too much before its answer. Without an end it could do so until the deadline. */
function limitBeforeAnswer(outgoing: ClientRequest, isAnswered: () => boolean): void {
  let bytes = 0
  let informational = 0
  outgoing.on('information', () => {
    informational += 1
    if (informational > BEFORE_ANSWER.informational) outgoing.destroy(new FloodError())
  })
  outgoing.once('socket', (socket) => {
    // Node's own listener has read the data before: an answer in it counts.
    const count = (data: Buffer) => {
      bytes += data.length
      if (bytes > BEFORE_ANSWER.bytes && !isAnswered()) outgoing.destroy(new FloodError())
    }
    socket.on('data', count)
    outgoing.once('close', () => socket.off('data', count))
  })
}

/** The receiver sent too much before its answer. */
class FloodError extends Error {}

/** The connection ended without an answer and without an error. */
class ClosedError extends Error {
  readonly code = 'closed without an answer'
}

/** A reused connection failed: most likely the receiver had just closed it, which is not a failure of the receiver. */
class ReusedSocketError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
    this.name = 'ReusedSocketError'
  }
}

/** Tries again immediately while reused connections fail; each failure removes one of them. */
async function onFreshSocket(send: () => Promise<WebhookAnswer>): Promise<WebhookAnswer> {
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof ReusedSocketError) || isFinal(error.cause)) throw error
    }
  }
}

/** Resolves to the start of the body when the body or the connection ends. The status counts, whatever happens to the body. */
function read(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const kept: Buffer[] = []
    let bytes = 0
    incoming.on('data', (chunk: Buffer) => {
      if (bytes < KEPT_BODY_BYTES) kept.push(chunk.subarray(0, KEPT_BODY_BYTES - bytes))
      bytes += chunk.length
      if (bytes > MAX_ANSWER_BYTES) incoming.destroy()
    })
    incoming.on('error', () => {})
    incoming.once('close', () => resolve(textOf(Buffer.concat(kept))))
  })
}

/** Returns bytes as text that can be stored. A character that is cut at the end is left out. */
const textOf = (bytes: Buffer): string => new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\ufffd')

/** Returns the first headers, of which one that came several times is joined. */
function startOf(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {}
  let characters = 0
  for (const [name, value = ''] of Object.entries(headers)) {
    const text = String(value)
    characters += name.length + text.length
    if (characters > KEPT_HEADER_CHARACTERS) break
    kept[name] = text
  }
  return kept
}

const unanswered = (reason: string): WebhookAnswer => ({ kind: 'unanswered', reason })

/** Whether another connection would not help. */
const isFinal = (error: unknown): boolean =>
  error instanceof FloodError || (error instanceof Error && error.name === 'AbortError')

/** Returns the code of the error only: its text may name addresses inside the network. */
function explain(error: unknown): string {
  const cause = error instanceof ReusedSocketError ? error.cause : error
  if (cause instanceof FloodError) return 'too much data before an answer'
  if (error instanceof PrivateAddressError) return `refused: ${error.message}`
  const code = error instanceof Error && 'code' in error ? error.code : null
  return `no connection: ${typeof code === 'string' ? code : 'unknown error'}`
}
