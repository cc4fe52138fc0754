// Stands between the service and its chain, and counts what is asked, by method.
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { freePort } from '../../test/support/free-port.ts'

export type Counter = { readonly url: string; readonly counts: Map<string, number>; stop(): void }

export async function startCounter(rpcUrl: string): Promise<Counter> {
  const counts = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const asked: { method: string } | { method: string }[] = JSON.parse(body.toString())
    for (const { method } of [asked].flat()) counts.set(method, (counts.get(method) ?? 0) + 1)
    const answer = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
