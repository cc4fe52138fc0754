// A provider between the service and a chain: it records which accounts are read, and its websocket has the faults that a test
// turns on.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { WebSocket, WebSocketServer } from 'ws'

type Chain = { readonly rpcUrl: string; readonly wsUrl: string }

/** What becomes of a message of the chain: when it is passed on, in milliseconds from now, each time. */
type Fault = (account: string | undefined) => readonly number[]

export type NoticeProxy = Chain & {
  /** How long ago an account was read, in milliseconds. */
  readAgo(account: string): number
  /** How often an account was read. */
  reads(account: string): number
  /** Replaces the fault of notices; null is none. */
  fault(fault: Fault | null): void
  /** Websockets that are open. */
  connections(): number
  /** Ends every websocket. */
  cut(): void
  close(): Promise<void>
}

export async function startNoticeProxy(chain: Chain): Promise<NoticeProxy> {
  const readAt = new Map<string, number>()
  const reads = new Map<string, number>()
  let fault: Fault | null = null
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString()
    const { method, params } = JSON.parse(body)
    if (method === 'getMultipleAccounts')
      for (const account of params[0]) {
        readAt.set(account, performance.now())
        reads.set(account, (reads.get(account) ?? 0) + 1)
      }
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(chain.rpcUrl, { method: 'POST', headers, body })
    response.writeHead(answer.status, headers).end(await answer.text())
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (near) => {
    const far = new WebSocket(chain.wsUrl)
    const opened = new Promise<void>((resolve) => far.once('open', resolve))
    const asked = new Map<number, string>()
    const accounts = new Map<number, string>()
    near.on('message', (data) => {
      const { id, method, params } = JSON.parse(String(data))
      if (method === 'accountSubscribe') asked.set(id, params[0])
      void opened.then(() => far.send(String(data)))
    })
    far.on('message', (data) => {
      const { id, result, params } = JSON.parse(String(data))
      if (asked.has(id)) accounts.set(result, asked.get(id) ?? '')
      const times = params === undefined ? [0] : (fault?.(accounts.get(params.subscription)) ?? [0])
      for (const ms of times) ms === 0 ? near.send(String(data)) : setTimeout(() => near.send(String(data)), ms)
    })
    near.on('close', () => far.terminate())
    far.on('close', () => near.terminate())
    for (const socket of [near, far]) socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const cut = () => {
    for (const socket of sockets.clients) socket.terminate()
  }
  return {
    rpcUrl: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    readAgo: (account) => performance.now() - (readAt.get(account) ?? Number.NEGATIVE_INFINITY),
    reads: (account) => reads.get(account) ?? 0,
    fault(next) {
      fault = next
    },
    connections: () => sockets.clients.size,
    cut,
    async close() {
      cut()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
