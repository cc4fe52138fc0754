// The document of the REST interface, and the page that shows it. The page is Redoc's, of which all is served from here.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Express, RequestHandler } from 'express'
import { wrongMethod } from '#http/replies.ts'
import { OPENAPI_FILE } from '#http/reply-check.ts'
import { type File, FOR_FIVE_MINUTES, fileOf, sendFile } from '#pay/files.ts'
import type { ChargeAddress } from '#server/graphiql.ts'

export const REFERENCE_PATH = '/docs'

/** Relative addresses, so that the page also works below a path of a proxy. */
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>REST reference</title>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. <a href="openapi.json">openapi.json</a> has the same.</noscript>
<script type="module" src="docs/start.js"></script>
`
const START = `import { init } from './redoc.js'
init('openapi.json', { disableTelemetry: true, sortRequiredPropsFirst: true }, document.getElementById('reference'))
`

const REDOC = join(import.meta.dirname, 'generated/redoc.js')

const FILES: Readonly<Record<string, File>> = {
  '/openapi.json': fileOf('openapi.json', () => readFileSync(OPENAPI_FILE)),
  [REFERENCE_PATH]: fileOf('page.html', () => Buffer.from(PAGE)),
  [`${REFERENCE_PATH}/start.js`]: fileOf('start.js', () => Buffer.from(START)),
  [`${REFERENCE_PATH}/redoc.js`]: fileOf('redoc.js', () => readFileSync(REDOC)),
}

/** Only files of this service, and no style inside but an empty one, to which Redoc adds rules. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "img-src 'self' data:",
  'font-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Each file costs its address one point: it is compressed once, and every connection is sent the same bytes. */
export function addReference(app: Express, charge: ChargeAddress): void {
  for (const [path, file] of Object.entries(FILES)) {
    const serve: RequestHandler = async (request, response) => {
      response.locals.route = path
      await charge(response, 1)
      if (path === REFERENCE_PATH) response.setHeader('Content-Security-Policy', POLICY)
      await sendFile(file, FOR_FIVE_MINUTES, request, response)
    }
    app
      .route(path)
      .get(serve)
      .all(wrongMethod(['GET']))
  }
}
