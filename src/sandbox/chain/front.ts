// The port for clients: JSON-RPC over HTTP, one call or a batch, and websockets. `methods` has the calls that this chain answers itself; all
// others go to the runtime.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { failureText, RPC_CODES, type RpcCall, RpcFailure, type RpcHandler, readCalls, resultText } from './json-rpc.ts'

/** Answers any call with its result as JSON text. Rejects with RpcFailure. */
export type Answerer = (call: RpcCall) => Promise<string>
export type Front = {
  readonly url: string
  readonly wsUrl: string
  /** Sets the handler of a path; any other path is not found. */
  route(path: string, answerer: Answerer): void
  /** Takes websockets from now on. */
  accept(onSocket: (socket: WebSocket) => void): void
  close(): void
}

const MAX_BYTES = 10_000_000
/** Outgoing connections take ports from 32768 on (49152 on some systems): a port down here stays free. */
const FIRST_PORT = 20_000
const PORTS = 10_000
const TRIES = 200

export async function openFront(): Promise<Front> {
  const answerers = new Map<string, Answerer>()
  const server = createServer((request, response) => {
    serve(request, response, answerers).catch(() => response.destroy())
  })
  // Clients keep a connection for a while; closing it first would fail the call that they send just then.
  server.keepAliveTimeout = 65_000
  const port = await listenLow(server)
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BYTES })
  return {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    route: (path, answerer) => void answerers.set(path, answerer),
    accept(onSocket) {
      server.on('upgrade', (request, socket, head) => sockets.handleUpgrade(request, socket, head, onSocket))
    },
    close() {
      server.close()
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
    },
  }
}

/** Answers by its own method where it has one, else by `pass`. */
export function answerBy(methods: Readonly<Record<string, RpcHandler>>, pass: Answerer): Answerer {
  const handlers = new Map(Object.entries(methods))
  return (call) => handlers.get(call.method)?.(call.params) ?? pass(call)
}

async function listenLow(server: Server): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = FIRST_PORT + ((process.pid * 7 + tries) % PORTS)
    if (await listens(server, port)) return port
  }
  throw new Error(`no free port from ${FIRST_PORT} to ${FIRST_PORT + PORTS}`)
}

function listens(server: Server, port: number): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  const onError = (error: NodeJS.ErrnoException): void =>
    error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(false) : reject(error)
  server.once('error', onError)
  server.listen(port, '127.0.0.1', () => {
    server.off('error', onError)
    resolve(true)
  })
  return promise
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answerers: ReadonlyMap<string, Answerer>,
): Promise<void> {
  const answerer = answerers.get(request.url ?? '/')
  const refusal = answerer === undefined ? 404 : refusalOf(request)
  if (answerer === undefined || refusal !== null) {
    response.writeHead(refusal ?? 404).end()
    return
  }
  const body = await readBody(request)
  if (body === null) response.writeHead(413, { connection: 'close' }).end()
  else response.writeHead(200, { 'content-type': 'application/json' }).end(await answerBody(body, answerer))
}

function refusalOf({ method, headers }: IncomingMessage): number | null {
  if (method !== 'POST') return 405
  // A web page can send text to this port without permission, but not JSON.
  return headers['content-type']?.includes('application/json') === true ? null : 415
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    bytes += part.length
    if (bytes > MAX_BYTES) return null
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

async function answerBody(body: string, answerer: Answerer): Promise<string> {
  try {
    const { batch, calls } = readCalls(body)
    const answers = await Promise.all(calls.map((call) => answerCall(call, answerer)))
    return batch ? `[${answers.join(',')}]` : answers.join('')
  } catch (error) {
    return failureText(null, failureOf(error))
  }
}

async function answerCall(call: RpcCall | null, answerer: Answerer): Promise<string> {
  if (call === null) return failureText(null, new RpcFailure(RPC_CODES.invalidRequest, 'Invalid request'))
  try {
    return resultText(call.id, await answerer(call))
  } catch (error) {
    return failureText(call.id, failureOf(error))
  }
}

const failureOf = (error: unknown): RpcFailure =>
  error instanceof RpcFailure ? error : new RpcFailure(RPC_CODES.internal, `Internal error: ${String(error)}`)
