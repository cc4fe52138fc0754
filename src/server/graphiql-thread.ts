// The thread that makes GraphiQL's page: its scripts and their compression take a second of a processor, and memory that
// ends with the thread.
import { hash } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import type { Page, PageWords } from '#server/graphiql-page.ts'

const { title, query }: PageWords = workerData
const identity = new TextEncoder().encode(renderGraphiQL({ title, subscriptionsProtocol: 'WS', defaultQuery: query }))
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
