// Security headers, and CORS for every origin without credentials. A caller is identified by a header or a body, and by a cookie
// only from our own pages, so no other page can use the rights of its visitor.
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Request, Response } from 'express'
import helmet from 'helmet'

const EXPOSED =
  'x-request-id, Retry-After, RateLimit-Policy, RateLimit, Error-Code, Api-Version, Idempotent-Replayed, Ignored-Fields'
const USUAL_HEADERS =
  'authorization, content-type, x-request-id, api-version, x-platform-on-behalf-of, graphql-preflight'
const A_DAY = '86400'

type Header = { readonly name: string; readonly value: string }

/** Answers a preflight request of a browser; returns false for every other request. */
export function answersPreflight(request: Request, response: Response): boolean {
  if (request.method !== 'OPTIONS') return false
  response.setHeader('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
  response.setHeader('Access-Control-Allow-Headers', request.headers['access-control-request-headers'] ?? USUAL_HEADERS)
  response.vary('Access-Control-Request-Headers')
  response.setHeader('Access-Control-Max-Age', A_DAY)
  response.statusCode = 204
  response.end()
  return true
}

/**
 * The service serves data: its replies may load nothing, and no page may frame them. Pages and GraphiQL have policies of their
 * own. What only Internet Explorer, Flash and filters of old browsers read is left out: no reply holds a script that they
 * could run, and each header costs every reply.
 */
const SECURITY = headersOf(
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  }),
)

const COMMON: readonly Header[] = [
  ...SECURITY,
  // Replies contain amounts, details of buyers and secrets that are shown once: no cache may store them.
  { name: 'Cache-Control', value: 'no-store' },
  { name: 'Access-Control-Allow-Origin', value: '*' },
  { name: 'Access-Control-Expose-Headers', value: EXPOSED },
]

/** Sets the headers that every reply has. */
export function setCommonHeaders(response: Response): void {
  for (const { name, value } of COMMON) response.setHeader(name, value)
}

/**
 * The headers of helmet are the same for every reply, so they are computed once instead of by a dozen functions for
 * each reply.
 */
function headersOf(middleware: ReturnType<typeof helmet>): readonly Header[] {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  middleware(request, response, () => {})
  return response.getHeaderNames().map((name) => ({ name, value: String(response.getHeader(name)) }))
}
