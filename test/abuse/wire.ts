// The tools of attackers: plain sockets, requests and websocket frames, from an address that is not the shop's.
import { randomBytes } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deed, Target } from './attack.ts'

type Place = Pick<Target, 'host' | 'port' | 'from'>

/**
 * Opens a connection that never throws, and is destroyed when the signal aborts. Returns null when it cannot connect.
 */
export function open(target: Place, signal: AbortSignal): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: target.host, port: target.port, localAddress: target.from })
    const destroy = (): void => void socket.destroy()
    signal.addEventListener('abort', destroy, { once: true })
    socket.once('connect', () => resolve(socket))
    socket.on('error', () => {})
    socket.once('close', () => {
      signal.removeEventListener('abort', destroy)
      resolve(null)
    })
  })
}

export type Asked = {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

/** Returns the status of a reply after reading all of it; 0 for no reply. */
export function ask(
  target: Place,
  path: string,
  { method = 'GET', headers = {}, body }: Asked,
  signal?: AbortSignal,
): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(
      { host: target.host, port: target.port, localAddress: target.from, path, method, headers, signal },
      (response: IncomingMessage) => {
        response.on('error', () => resolve(0))
        response.on('end', () => resolve(response.statusCode ?? 0))
        response.resume()
      },
    )
    asked.on('error', () => resolve(0))
    asked.end(body)
  })
}

export const json = (body: unknown, headers: Record<string, string> = {}): Asked => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** Repeats `work` this many times in parallel until the signal aborts. A failure does not end the loop. */
export async function repeat(
  places: number,
  signal: AbortSignal,
  work: (place: number) => Promise<void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: places }, async (_, place) => {
      while (!signal.aborted) {
        await work(place).catch(() => sleep(10))
        // Yields to the abort and to the other loops, because `work` may never wait.
        await new Promise(setImmediate)
      }
    }),
  )
}

const FAULT = 500
const NO_REPLY = 0

/** Counts replies by status. */
export function createTally() {
  const counts = new Map<number, number>()
  return {
    add: (status: number): void => void counts.set(status, (counts.get(status) ?? 0) + 1),
    deed: (): Deed => ({
      count: [...counts].reduce((sum, [status, count]) => (status === NO_REPLY ? sum : sum + count), 0),
      did: [...counts]
        .toSorted(([one], [other]) => one - other)
        .map(([status, count]) => `${count} × ${status === NO_REPLY ? 'no reply' : status}`)
        .join(', '),
      faults: counts.get(FAULT) ?? 0,
    }),
  }
}

const HANDSHAKE = [
  'GET /graphql HTTP/1.1',
  'Host: attacker',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol: graphql-transport-ws',
].join('\r\n')

/** Opens a websocket that nothing reads; null when it was refused. */
export async function openWebSocket(target: Target, signal: AbortSignal): Promise<Socket | null> {
  const socket = await open(target, signal)
  if (socket === null) return null
  socket.write(`${HANDSHAKE}\r\n\r\n`)
  const head = await new Promise<string>((resolve) => {
    socket.once('data', (data) => resolve(data.toString('latin1')))
    socket.once('close', () => resolve(''))
  })
  if (head.startsWith('HTTP/1.1 101')) return socket
  socket.destroy()
  return null
}

export const TEXT = 0x1
export const PING = 0x9

/** A masked frame of at most 65,535 bytes, as clients must send them. */
export function frame(opcode: number, payload: Buffer | string): Buffer {
  const bytes = Buffer.from(payload)
  const mask = randomBytes(4)
  const head =
    bytes.length < 126
      ? Buffer.from([0x80 | opcode, 0x80 | bytes.length])
      : Buffer.from([0x80 | opcode, 0x80 | 126, bytes.length >> 8, bytes.length & 0xff])
  return Buffer.concat([head, mask, bytes.map((byte, at) => byte ^ (mask[at % 4] ?? 0))])
}

export const message = (content: object): Buffer => frame(TEXT, JSON.stringify(content))

/** Writes until the socket closes or the signal aborts, as fast as the other side reads. */
export async function pour(socket: Socket, chunk: () => Buffer | string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && socket.writable) {
    if (socket.write(chunk())) {
      await new Promise(setImmediate)
      continue
    }
    await new Promise<void>((resolve) => {
      socket.once('drain', resolve)
      socket.once('close', () => resolve())
    })
  }
}

/** Resolves when the signal aborts or the socket closes. */
export const held = (socket: Socket, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted || socket.destroyed) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
    socket.once('close', () => resolve())
  })

/** Waits before a refused client tries again. */
export const pause = (signal: AbortSignal): Promise<void> => sleep(100, undefined, { signal }).catch(() => {})
