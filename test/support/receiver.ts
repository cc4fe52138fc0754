// A webhook receiver: a real HTTP server on a free port. It records the requests, and the test chooses its answers.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly at: number
}

export type Receiver = {
  readonly url: string
  readonly port: number
  readonly received: readonly Received[]
  /** Connections accepted so far. */
  readonly connections: () => number
  close(): Promise<void>
}

export type Answer = (response: ServerResponse, request: Received) => void

export const answerWith =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end()

/** Listens on a free port unless one is given. */
export async function startReceiver(answer: Answer, givenPort = 0): Promise<Receiver> {
  const received: Received[] = []
  let connections = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const one = { method, url, headers, body: Buffer.concat(chunks).toString(), at: performance.now() }
      received.push(one)
      answer(response, one)
    })
  })
  server.on('connection', () => {
    connections += 1
  })
  const port = await listen(server, givenPort)
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Listens on the loopback address, on a free port unless one is given. Returns the port. */
export function listen(
  server: {
    listen(port: number, host: string, done: () => void): unknown
    address(): AddressInfo | string | null
  },
  port = 0,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      if (typeof address === 'object' && address !== null) resolve(address.port)
      else reject(new Error('the server has no port'))
    })
  })
}
