// Security headers, and CORS for everybody without credentials: what proves a caller is a header or a body, never a
// cookie, so no page can borrow its visitor's rights.
import type { RequestHandler } from 'express'
import helmet from 'helmet'

const EXPOSED = 'x-request-id, Retry-After, Idempotent-Replayed'
const ALLOWED_HEADERS =
  'authorization, content-type, accept, x-request-id, x-platform-on-behalf-of, graphql-preflight, last-event-id'
const A_DAY = '86400'

export const cors: RequestHandler = (request, response, next) => {
  response.setHeader('Access-Control-Allow-Origin', '*')
  response.setHeader('Access-Control-Expose-Headers', EXPOSED)
  if (request.method !== 'OPTIONS') return next()
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PATCH, DELETE, OPTIONS')
  response.setHeader('Access-Control-Allow-Headers', ALLOWED_HEADERS)
  response.setHeader('Access-Control-Max-Age', A_DAY)
  response.statusCode = 204
  response.end()
}

/** Replies carry amounts, buyers' details and secrets shown once: none may be kept by a cache. */
export const neverCached: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store')
  next()
}

/** The service serves data: no page of it may load, frame or be framed by anything. GraphiQL has its own policy. */
export const securityHeaders: RequestHandler = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  crossOriginResourcePolicy: { policy: 'cross-origin' },
})

/** GraphiQL is the one page with scripts; where its own are not bundled they come from the CDN that yoga's page names. */
export const GRAPHIQL_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline' 'unsafe-eval' https://unpkg.com blob:",
  "style-src 'self' 'unsafe-inline' https://unpkg.com",
  "font-src 'self' data: https://unpkg.com",
  "img-src 'self' data: https:",
  "worker-src 'self' blob:",
  "connect-src 'self' ws: wss: https://unpkg.com",
  "frame-ancestors 'none'",
].join('; ')
