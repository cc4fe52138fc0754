// The handshake of a websocket: RFC 6455, 4.2. A refused handshake is answered like a refused request.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, handleProtocols } from 'graphql-ws'
import { refuseConnection } from '#server/refusals.ts'

export const STATUS_LINES = {
  400: '400 Bad Request',
  405: '405 Method Not Allowed',
  426: '426 Upgrade Required',
  429: '429 Too Many Requests',
  503: '503 Service Unavailable',
} as const

export type Refusal = {
  readonly status: keyof typeof STATUS_LINES
  readonly error: string
  readonly headers?: Readonly<Record<string, string>>
}

const LATER = { 'Retry-After': '10' }

export const TOO_MANY_CONNECTIONS: Refusal = {
  status: 503,
  error: 'too many connections',
  headers: LATER,
}

export const GOING_AWAY: Refusal = {
  status: 503,
  error: 'the service is going away',
  headers: LATER,
}

export const TOO_MANY_MESSAGES: Refusal = {
  status: 429,
  error: 'too many messages',
  headers: LATER,
}

const WRONG_METHOD: Refusal = {
  status: 405,
  error: 'a websocket is opened with GET',
  headers: { Allow: 'GET' },
}

const WRONG_VERSION: Refusal = {
  status: 426,
  error: 'the Sec-WebSocket-Version header must be 13',
  headers: { 'Sec-WebSocket-Version': '13' },
}

const wrong = (error: string): Refusal => ({ status: 400, error })

const KEY = /^[+/0-9A-Za-z]{22}==$/

/** Returns why a handshake cannot be accepted, or null. */
export function problemOf({ method, headers }: IncomingMessage): Refusal | null {
  if (method !== 'GET') return WRONG_METHOD
  if (headers['sec-websocket-version'] !== '13') return WRONG_VERSION
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) return wrong('the Sec-WebSocket-Key header is missing or invalid')
  if (handleProtocols(headers['sec-websocket-protocol'] ?? '') === false) {
    return wrong(`the Sec-WebSocket-Protocol header must offer ${GRAPHQL_TRANSPORT_WS_PROTOCOL}`)
  }
  return null
}

/** Faults that only ws finds. */
export const MALFORMED: Refusal = wrong('the websocket handshake is malformed')

export function refuseHandshake(socket: Duplex, { status, error, headers }: Refusal, requestId: string): void {
  refuseConnection(socket, STATUS_LINES[status], error, requestId, headers)
}
