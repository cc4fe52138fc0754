// HTTP in bytes, for requests that no client library sends.

import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { GRAPHQL_TRANSPORT_WS_PROTOCOL } from 'graphql-ws'
import { WebSocket } from 'ws'
import type { TestService } from './services.ts'
import { until } from './until.ts'

export type RawReply = {
  readonly status: number
  /** Names in lower case. A repeated header has its last value. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Sends bytes unchanged, and returns the bytes received until the connection closed. */
export function sendRaw(port: number, request: string, encoding: BufferEncoding = 'utf8'): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(request, 'latin1'))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString(encoding)))
    socket.on('error', reject)
  })
}

/** Parses the only reply of a connection; joins a chunked body. */
export async function askRaw(port: number, request: string, encoding?: BufferEncoding): Promise<RawReply> {
  const text = await sendRaw(port, request, encoding)
  const end = text.indexOf('\r\n\r\n')
  const [line = '', ...fields] = text.slice(0, end).split('\r\n')
  const headers = new Map(
    fields.map((field) => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const
    }),
  )
  const body = text.slice(end + 4)
  const isChunked = headers.get('transfer-encoding') === 'chunked'
  return { status: Number(line.split(' ')[1]), headers, body: isChunked ? unchunked(body) : body }
}

function unchunked(body: string): string {
  const [, size = '0', rest = ''] = /^([\da-f]+)\r\n(.*)$/is.exec(body) ?? []
  const length = Number.parseInt(size, 16)
  return length === 0 ? '' : rest.slice(0, length) + unchunked(rest.slice(length + 2))
}

// A websocket that sends any bytes, and records everything that it receives.

export type Received = { readonly type: string; readonly id?: string; readonly payload?: unknown }

export type RawWebSocket = {
  readonly socket: WebSocket
  readonly received: readonly Received[]
  send(message: object): void
  /** Waits for connection_ack. */
  init(params?: object): Promise<void>
  /** The code and the reason of the close frame. */
  readonly closed: Promise<{ code: number; reason: string }>
}

/** `headers` belong to the upgrade request. */
export async function openWebSocket(
  service: Pick<TestService, 'url'>,
  headers: Record<string, string> = {},
): Promise<RawWebSocket> {
  const url = `${service.url.replace('http', 'ws')}/graphql`
  const socket = new WebSocket(url, GRAPHQL_TRANSPORT_WS_PROTOCOL, { headers })
  const received: Received[] = []
  socket.on('message', (data) => received.push(JSON.parse(String(data))))
  socket.on('error', () => undefined)
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
  )
  await once(socket, 'open')
  const send = (message: object) => socket.send(JSON.stringify(message))
  return {
    socket,
    received,
    closed,
    send,
    async init(params) {
      send({ type: 'connection_init', ...(params && { payload: params }) })
      await until(() => received.some(({ type }) => type === 'connection_ack'))
    },
  }
}

export type Handshake = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }

const VALID = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol': GRAPHQL_TRANSPORT_WS_PROTOCOL,
}

/** Sends a websocket handshake by hand; an undefined header is left out. Closes an accepted connection. */
export function handshake(
  { url }: Pick<TestService, 'url'>,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string | undefined> } = {},
): Promise<Handshake> {
  const sent = Object.fromEntries(Object.entries({ ...VALID, ...headers }).filter(([, value]) => value !== undefined))
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/graphql`, { method, headers: sent, agent: false })
    asked.on('error', reject)
    asked.on('upgrade', ({ statusCode = 0, headers }, socket) => {
      socket.destroy()
      resolve({ status: statusCode, headers, text: '' })
    })
    asked.on('response', async (response) => {
      const text = (await response.toArray()).join('')
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
    })
    asked.end()
  })
}
