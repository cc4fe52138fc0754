// As much of a Solana node as an API instance asks at its start: which network it is.
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'

export type IdleNode = { readonly url: string; stop(): void }

const GENESIS_HASH = 'EH38gnQ1NJLmvKKoBv2SYcxhcFdBUAcwT3sdPNmLTURY'

export async function startIdleNode(): Promise<IdleNode> {
  const server = createServer(async (request, response) => {
    const { id, method } = (await json(request)) as { id: unknown; method: string }
    const answer = method === 'getGenesisHash' ? { result: GENESIS_HASH } : { error: { code: -32601, message: method } }
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
