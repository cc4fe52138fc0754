// The demo ends whatever becomes of the service, and gives the business its webhook URL back. The service is a stand-in
// that can be made to end in the middle of the payment.
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { generateKeyPair, writeKeyPair } from '@solana/kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { z } from 'zod'
import { borrowedUrl, ownUrl } from '#demo/borrowed-url.ts'

/** Nothing that the demo waits for takes longer than its patience with a connection, twice. */
const ENDS_WITHIN_MS = 14_000
const OWN_URL = 'https://shop.example.com/hooks?a=1&b=2'

let dataDir: string
let open: { close(): void } | undefined
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'demo-'))
})
afterEach(async () => {
  open?.close()
  await rm(dataDir, { recursive: true, force: true })
})

const INTENT = { derivation_index: 7, address: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', client_secret: 'cs_x' }
const ANSWERS: Readonly<Record<string, object>> = {
  '/intents': INTENT,
  '/intents/quote': { quotes: [{ symbol: 'SOL', decimals: 9, expected_lamports: 1_000 }] },
  '/intents/select-token': { expected_lamports: 1_000, payment_uri: 'solana:x' },
}
const variables = z.object({ query: z.string(), variables: z.looseObject({ url: z.string().nullable().optional() }) })

/** Answers up to the selection; what the buyer pays is never seen to arrive. `onPaying` is called at that point. */
async function startStandIn(onPaying: (ways: { complete(): void; end(): void }) => void) {
  const shop: { webhookUrl: string | null } = { webhookUrl: OWN_URL }
  const graphql = async (request: IncomingMessage) => {
    const asked = variables.parse(JSON.parse(await text(request)))
    if (asked.query.startsWith('mutation')) shop.webhookUrl = asked.variables.url ?? null
    return { data: { account: shop } }
  }
  const server = createServer(async (request, response) => {
    const path = request.url?.replace(/\?.*/, '') ?? ''
    if (path === '/chain') return onPaying({ complete, end })
    const answer = path === '/graphql' ? await graphql(request) : ANSWERS[path]
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  })
  const sockets = new WebSocketServer({ server, handleProtocols: () => 'graphql-transport-ws' })
  let complete = () => {}
  sockets.on('connection', (socket) =>
    socket.on('message', (message) => {
      const { type, id } = JSON.parse(String(message))
      if (type === 'connection_init') socket.send(JSON.stringify({ type: 'connection_ack' }))
      if (type === 'subscribe') complete = () => socket.send(JSON.stringify({ type: 'complete', id }))
    }),
  )
  const end = () => {
    for (const socket of sockets.clients) socket.terminate()
    server.close()
    server.closeAllConnections()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open = { close: end }
  const { port } = z.object({ port: z.number() }).parse(server.address())
  await prepareDataDir(`http://127.0.0.1:${port}`)
  return { shop }
}

async function prepareDataDir(url: string): Promise<void> {
  const facts = {
    ...{ base_url: url, rpc_url: `${url}/chain`, api_key: 'sk_live_x', webhook_secret: 'whsec_eA==', tokens: [] },
    account_id: '6f1c2a52-8a9d-4b57-9a35-2b1f5f3f8f10',
  }
  await writeFile(join(dataDir, 'demo.json'), JSON.stringify(facts))
  await writeFile(join(dataDir, 'operator-token'), 'op_0123456789abcdef')
  await writeKeyPair(await generateKeyPair(true), join(dataDir, 'demo-keys/buyer.json'))
}

async function runDemo(): Promise<{ code: number | null; err: string }> {
  const main = new URL('../../src/demo/main.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [main], {
    cwd: dataDir,
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: ENDS_WITHIN_MS,
    killSignal: 'SIGKILL',
  })
  const err = text(child.stderr)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, err: (await err).trimEnd() }
}

describe('a demo whose service ends in the middle of the payment ends too, and says why in one line', () => {
  it('a service that dies: the next demo puts the URL back', async () => {
    const { shop } = await startStandIn(({ end }) => end())
    expect(await runDemo()).toEqual({ code: 1, err: expect.stringMatching(/^(The service at|The buyer's payment).+$/) })
    expect(shop.webhookUrl).not.toBe(OWN_URL)
    expect(ownUrl(shop.webhookUrl)).toBe(OWN_URL)
  })

  it('a service that says that nothing more will come, and still answers: the URL is put back at once', async () => {
    const { shop } = await startStandIn(({ complete }) => complete())
    expect(await runDemo()).toEqual({ code: 1, err: expect.stringMatching(/^The service at .+ ended before.+$/) })
    expect(shop.webhookUrl).toBe(OWN_URL)
  })

  it('a service that hangs, and leaves pings unanswered', async () => {
    await startStandIn(() => {})
    expect(await runDemo()).toEqual({ code: 1, err: expect.stringMatching(/^The service at .+ ended before.+$/) })
  })
})

it('a borrowed URL remembers the business’s own one, and nobody else’s is taken for borrowed', () => {
  for (const own of [null, OWN_URL, 'http://127.0.0.1:9000/webhooks']) {
    expect(ownUrl(own)).toBe(own)
    expect(ownUrl(borrowedUrl(4567, own))).toBe(own)
  }
})
