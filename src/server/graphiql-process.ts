// The process that makes GraphiQL's page. Its scripts and their compression take one second of CPU time and 160 MB,
// which the process frees when it ends. Takes PageWords as JSON. Writes one line of JSON, a PageHead, then the page as
// br, gzip and identity.
import { hash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { type PageHead, pageWords } from '#server/graphiql-page.ts'
import { renderGraphiQL } from './generated/graphiql.js'

const { title, query } = pageWords.parse(JSON.parse(process.argv[2] ?? ''))
const identity = Buffer.from(renderGraphiQL({ title, subscriptionsProtocol: 'WS', defaultQuery: query }))
const br = brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
const gzip = gzipSync(identity)
const head: PageHead = {
  tag: hash('sha256', identity, 'base64url').slice(0, 22),
  lengths: { br: br.length, gzip: gzip.length, identity: identity.length },
}
process.stdout.write(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), br, gzip, identity]))
