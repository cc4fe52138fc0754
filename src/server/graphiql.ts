// GraphiQL, for a browser that opens the path of a schema: one page that contains its scripts, while yoga's page loads
// them from a CDN. The page has 9 MB. It is made at the first request and compressed once, and every connection writes
// from one buffer.
import type { Request, RequestHandler, Response } from 'express'
import { sendError } from '#http/replies.ts'
import { once } from '#lib/cache.ts'
import { ENCODINGS, type Encoding, makePage, type PageWords } from '#server/graphiql-page.ts'
import { GRAPHQL_PATH, OPERATOR_PATH } from '#server/graphql.ts'

/** The page contains no secret and nothing of a single caller, so a browser may cache it for an hour. */
const CACHING = 'public, max-age=3600'

/** The path of a page, its title and its first query. */
export type PageFacts = PageWords & { readonly path: string }

/** Counts points of a reply against the address that asks. Throws `Refused` when it has none left. */
export type ChargeAddress = (response: Response, points: number) => Promise<void>

const MEGABYTE = 1_048_576

/**
 * Answers a browser with the page, and leaves every other request to the next handler. A page costs its address one
 * point for each started megabyte that is sent: copying pages for clients that never read them delays other clients.
 */
export function graphiql({ path, ...words }: PageFacts, charge: ChargeAddress): RequestHandler {
  const page = once(() => makePage(words))
  return async (request, response, next) => {
    if (!wantsPage(request)) return next()
    response.locals.route = path
    response.vary('Accept, Accept-Encoding')
    const encoding = encodingFor(request)
    if (encoding === undefined) return sendError(response, 406, 'the page can be sent as br, gzip or identity')
    await charge(response, 1)
    const { tag, bytes } = await page()
    response.setHeader('Cache-Control', CACHING)
    response.setHeader('ETag', `"${tag}-${encoding}"`)
    response.setHeader('Content-Security-Policy', POLICY)
    if (request.fresh) return void response.status(304).end()
    if (request.method === 'GET') await charge(response, Math.ceil(bytes[encoding].length / MEGABYTE) - 1)
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding)
    response.setHeader('Content-Type', 'text/html; charset=utf-8')
    response.setHeader('Content-Length', bytes[encoding].length)
    response.end(bytes[encoding])
  }
}

const wantsPage = (request: Request): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') && request.accepts(['json', 'html']) === 'html'

function encodingFor(request: Request): Encoding | undefined {
  const preferred = request.acceptsEncodings(...ENCODINGS)
  return ENCODINGS.find((encoding) => encoding === preferred)
}

/** GraphiQL is the only page with scripts inside. It contains them all, and may connect to this service only. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "worker-src 'self' blob: data:",
  "connect-src 'self' ws: wss: data:",
  "frame-ancestors 'none'",
].join('; ')

export const PUBLIC_PAGE: PageFacts = {
  path: GRAPHQL_PATH,
  title: 'Payments',
  query: `# A business sends its API key: {"authorization": "Bearer …"} under Headers, also for a subscription. Another
# websocket client sends the same as connectionParams, or as a header of the upgrade request.
# A checkout needs only the client secret of its payment, as a variable.

query Welcome {
  config {
    cluster
    checkoutWindowSeconds
  }
  allowedTokens {
    ticker
    mint
    decimals
  }
}
`,
}

export const OPERATOR_PAGE: PageFacts = {
  path: OPERATOR_PATH,
  title: 'Payments, for the operator',
  query: `# Every operation needs the operator token: {"authorization": "Bearer …"} under Headers.

query Welcome {
  operatorStatus {
    openIntents
    unfinishedTransfers
    alerts
  }
}
`,
}
