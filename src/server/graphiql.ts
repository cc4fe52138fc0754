// GraphiQL, for a browser that opens /graphql: one page with everything in it, where yoga's own loads its scripts from a
// CDN. It has 9 MB, so it is made when first asked for, compressed once, and every connection writes from one buffer.
import type { Request, RequestHandler } from 'express'
import { sendError } from '#http/replies.ts'
import { ENCODINGS, type Encoding, makePage } from '#server/graphiql-page.ts'
import { GRAPHQL_PATH } from '#server/graphql.ts'

/** The page holds nothing that is secret or of one caller, so that a browser may keep it for an hour. */
const CACHING = 'public, max-age=3600'

/** Answers a browser with the page, and leaves every other request to the next handler. */
export function graphiql(): RequestHandler {
  const page = once(makePage)
  return async (request, response, next) => {
    if (!wantsPage(request)) return next()
    response.locals.route = GRAPHQL_PATH
    response.vary('Accept, Accept-Encoding')
    const encoding = encodingFor(request)
    if (encoding === undefined) return sendError(response, 406, 'the page can be sent as br, gzip or identity')
    const { tag, bytes } = await page()
    response.setHeader('Cache-Control', CACHING)
    response.setHeader('ETag', `"${tag}-${encoding}"`)
    response.setHeader('Content-Security-Policy', POLICY)
    if (request.fresh) return void response.status(304).end()
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

/** Makes a value when first asked for, and again when that failed. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null
      throw error
    })
    return made
  }
}

/** GraphiQL is the one page with scripts: all within it, and it may talk to nobody but this service. */
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
