// One listening server: its time limits for clients, the refusals that Node would answer itself, and its graceful stop.
import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Express } from 'express'
import type { Logger } from './log.ts'
import { refuseBroken, refuseTunnel } from './refusals.ts'

// Pipelined requests: RFC 9112, 9.3.2. Node passes on all requests that have arrived together, and keeps the replies in
// order.

/**
 * Handles the requests of one connection one after the other: each begins when the previous reply is sent. A client
 * that does not read has one waiting reply, however many requests it sends. Waiting requests are dropped when the
 * connection closes.
 */
function inSequence(handler: RequestListener): RequestListener {
  const newest = new WeakMap<Socket, ServerResponse>()
  return (request, response) => {
    const before = newest.get(request.socket)
    newest.set(request.socket, response)
    if (before === undefined || before.closed) return handler(request, response)
    before.once('close', () => {
      if (!response.closed && !request.socket.destroyed) handler(request, response)
    })
  }
}

// The classes of requests and replies. express gives each of them another prototype when it receives it, which V8 pays for
// with a copy of its layout and slower access from then on. Here they are made with the prototypes that express gives.

/** For `createServer`. */
type Messages = {
  readonly IncomingMessage: typeof IncomingMessage
  readonly ServerResponse: typeof ServerResponse
}

/** Makes the application use the prototypes of these classes as its own. To be called before its first request. */
export function messagesOf(app: Express): Messages {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request)
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response)
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse }
}

/** How long a client may take, in milliseconds. A client that sends too slowly is cut off. */
export type ServerTimeouts = {
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
  readonly connectionsCheckingInterval: number
  /** How long it may leave a waiting reply unread. */
  readonly writeTimeout: number
}

export const DEFAULT_TIMEOUTS: ServerTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the minute after which proxies close an idle connection, so that the proxy closes it first.
  keepAliveTimeout: 65_000,
  // Often, so that thousands of connections that were opened over some seconds do not all end at one moment.
  connectionsCheckingInterval: 250,
  writeTimeout: 20_000,
}

export type ServerOptions = {
  readonly timeouts: Omit<ServerTimeouts, 'writeTimeout'>
  readonly newId: () => string
  readonly log: Logger
  /** Returns whether an upgrade is accepted. An upgrade that is not accepted is handled as a plain request. */
  readonly upgrades: (request: IncomingMessage) => boolean
}

/** Answers requests that were made by its classes. */
export type Handler = { readonly listener: RequestListener; readonly messages: Messages }

/** Returns a server that does not listen yet. */
export function openServer({ listener, messages }: Handler, { timeouts, newId, log, upgrades }: ServerOptions): Server {
  const handler = inSequence(listener)
  const server = createServer(
    {
      ...timeouts,
      ...messages,
      maxHeaderSize: 16 * 1024,
      shouldUpgradeCallback: upgrades,
      // The application checks the Host header, because Node's own refusal has an empty body.
      requireHostHeader: false,
    },
    handler,
  )
  server.maxHeadersCount = 100
  server.on('clientError', refuseBroken(newId, log))
  server.on('checkExpectation', handler)
  server.on('connect', refuseTunnel(newId, log))
  return server
}

/** Connections that may wait to be accepted: a client that finds no room tries again a second later. The system may allow fewer. */
const BACKLOG = 4_096

/** Returns the port; the system chooses it when `port` is 0. */
export function listen(server: Server, { port, host }: { port: number; host: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

const SWEEP_MS = 20

/** Stops listening. Resolves when the replies under way are sent; connections left after `graceMs` are cut. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A kept-alive connection becomes idle when its reply is sent, and nothing else would close it.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}
