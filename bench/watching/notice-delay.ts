// A proxy of the chain's websocket that delays account notices until they are confirmed, as a node does. The embedded
// runtime sends them as soon as a transaction is processed.
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket, WebSocketServer } from 'ws'
import { freePort } from '../../test/support/postgres-server.ts'

export type NoticeDelay = { readonly url: string; stop(): void }

export async function startNoticeDelay(wsUrl: string, lateMs: number): Promise<NoticeDelay> {
  const http = createServer()
  const server = new WebSocketServer({ server: http })
  server.on('connection', (client) => {
    const upstream = new WebSocket(wsUrl)
    const opened = new Promise<void>((resolve) => upstream.once('open', () => resolve()))
    client.on('message', async (data, binary) => {
      await opened
      upstream.send(data, { binary })
    })
    upstream.on('message', async (data, binary) => {
      if (data.toString().includes('"accountNotification"')) await sleep(lateMs)
      if (client.readyState === WebSocket.OPEN) client.send(data, { binary })
    })
    client.once('close', () => upstream.close())
    upstream.once('close', () => client.close())
    for (const socket of [client, upstream]) socket.on('error', () => socket.terminate())
  })
  const port = await freePort()
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  return {
    url: `ws://127.0.0.1:${port}`,
    stop() {
      for (const client of server.clients) client.terminate()
      http.close()
    },
  }
}
