// GET /: the list of paths.
import type { RequestHandler } from 'express'

type Place = { readonly path: string; readonly what: string }

const PLACES: readonly Place[] = [
  { path: '/docs', what: 'the REST interface, to read' },
  { path: '/openapi.json', what: 'the same as OpenAPI 3.1, for programs' },
  {
    path: '/graphql',
    what: 'GraphQL over HTTP, websocket and server-sent events; GraphiQL in a browser where it is on',
  },
  { path: '/intents', what: 'create and find payment intents, with an API key' },
  { path: '/status', what: 'the status of an intent, with an API key' },
  { path: '/intents/status', what: 'the status of an intent for its buyer, with the client secret' },
  { path: '/config', what: 'facts of the platform' },
  { path: '/allowed-tokens', what: 'the tokens that buyers can pay with' },
  { path: '/.well-known/jwks.json', what: 'the keys by which anyone can check a receipt' },
  { path: '/health', what: 'health of the service' },
]

export function welcome(version: string): RequestHandler {
  const json = JSON.stringify({
    service: 'payments',
    version,
    endpoints: Object.fromEntries(PLACES.map(({ path, what }) => [path, what])),
  })
  const rows = PLACES.map(({ path, what }) => `<li><a href="${path}">${path}</a> ${what}</li>`).join('')
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Payments</title><h1>Payments</h1><ul>${rows}</ul></html>`
  return (request, response) => {
    const wantsPage = request.accepts(['json', 'html']) === 'html'
    response.locals.route = '/'
    response.setHeader('Content-Type', wantsPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8')
    response.end(wantsPage ? html : json)
  }
}
