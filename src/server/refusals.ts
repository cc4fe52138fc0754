// Refusals of requests that reach no route, and that Node would answer itself. They have the shape and the id of every
// other refusal.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ERROR_CODE, sendError } from '#http/replies.ts'
import { doneInSteps } from '#lib/steps.ts'
import type { Logger } from '#server/log.ts'
import { headFault } from '#server/request-head.ts'

/** How long a client may take to read its refusal before the connection is cut off. */
const LINGER_MS = 1_000

/** Writes a refusal to a connection without a response object, and ends the connection. */
export function refuseConnection(
  socket: Duplex,
  status: string,
  error: string,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify({ error })
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Cache-Control: no-store',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  // Node waits without limit for such a client to close its side.
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(cut))
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.resume()
}

/**
 * Drops what a client sends once reading begins again: no request is handled behind "Connection: close" (RFC 9112, 9.6). A
 * connection that was handed over, of an upgrade or a tunnel, has no parser, and needs none of this.
 */
function leaveParser(socket: Duplex): void {
  // The parser takes the data until another listener does, and only it begins to read again after a pause.
  socket.pause()
  socket.once('resume', dropData)
}

function dropData(this: Duplex): void {
  this.removeAllListeners('data')
  this.on('data', drop)
}

const drop = (): void => {}

const MALFORMED = { [ERROR_CODE]: 'invalid_request' } as const

const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT'

const BROKEN: Readonly<Record<string, readonly [status: string, error: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the request line and headers are too large'],
  [TIMED_OUT]: ['408 Request Timeout', 'the request took too long to arrive'],
}

/** Late requests that are refused in one turn of the event loop. Node reports all that it finds late at once. */
export const LATE_IN_A_TURN = 50

type Cause = Error & { readonly code?: string }

/** Refuses a request that could not be parsed, or did not arrive in time. */
export function refuseBroken(newId: () => string, log: Logger): (cause: Cause, socket: Duplex) => void {
  const refuse = (cause: Cause, socket: Duplex): void => {
    if (cause.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const [status, error] = BROKEN[cause.code ?? ''] ?? ['400 Bad Request', 'the request is not valid HTTP']
    const requestId = newId()
    log.info({ requestId, status, code: cause.code }, 'broken request')
    leaveParser(socket)
    refuseConnection(socket, status, error, requestId, MALFORMED)
  }
  const refuseLate = doneInSteps(LATE_IN_A_TURN, refuse)
  return (cause, socket) => {
    if (cause.code !== TIMED_OUT) return refuse(cause, socket)
    // Nothing is read while the refusal waits, so that no other reply comes before it.
    socket.pause()
    refuseLate(cause, socket)
  }
}

const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i

/**
 * Refuses a head that is not valid, and an Expect header that cannot be met (RFC 9110, 10.1.1). Returns false for every
 * other request.
 */
export function refusesHead(request: IncomingMessage, response: ServerResponse): boolean {
  const { expect } = request.headers
  const fault = headFault(request)
  if (fault !== null) sendError(response, 400, fault)
  else if (expect !== undefined && !CONTINUE.test(expect)) {
    sendError(response, 417, 'the Expect header cannot be met')
  } else return false
  return true
}

/** CONNECT asks for a tunnel, which only a proxy makes: RFC 9110, 9.3.6. */
export const refuseTunnel =
  (newId: () => string, log: Logger) =>
  (_request: unknown, socket: Duplex): void => {
    const status = '501 Not Implemented'
    const requestId = newId()
    socket.on('error', () => socket.destroy())
    log.info({ requestId, status }, 'broken request')
    refuseConnection(socket, status, 'this server makes no tunnels', requestId, MALFORMED)
  }
