// The thread that makes GraphiQL's page: its scripts and their compression take a second of a processor, and memory that
// ends with the thread.
import { hash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import type { Page } from '#server/graphiql-page.ts'

const WELCOME = `# A business sends its API key, the operator its token: {"authorization": "Bearer …"} under Headers, also for a
# subscription. Another websocket client sends the same as connectionParams, or as a header of the upgrade request.
# A checkout needs only the client secret of its payment, as a variable.

query Welcome {
  config {
    network
    checkoutWindowSeconds
  }
  allowedTokens {
    ticker
    mint
    decimals
  }
}
`

const identity = new TextEncoder().encode(
  renderGraphiQL({ title: 'Payments', subscriptionsProtocol: 'WS', defaultQuery: WELCOME }),
)
const page = {
  tag: hash('sha256', identity, 'base64url').slice(0, 22),
  bytes: {
    br: new Uint8Array(brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })),
    gzip: new Uint8Array(gzipSync(identity)),
    identity,
  },
} satisfies Page
parentPort?.postMessage(
  page,
  Object.values(page.bytes).map(({ buffer }) => buffer),
)
