// GET /.well-known/jwks.json: the keys by which anyone can check a receipt. docs/contract.md, "Receipts".
import type { RequestHandler } from 'express'
import type { Services } from '#services/services.ts'

export const KEYS_ROUTE = '/.well-known/jwks.json'

/** A key never changes and is never removed. A cache has a new one after an hour. */
const CACHE = 'public, max-age=3600'

export function serveKeys(keys: Services['receipts']['publicKeys']): RequestHandler {
  const body = JSON.stringify({ keys })
  return (_request, response) => {
    response.locals.route = KEYS_ROUTE
    response.setHeader('Content-Type', 'application/jwk-set+json')
    response.setHeader('Cache-Control', CACHE)
    response.end(body)
  }
}
