// The headers of a page. What a page may load and where it may be shown is decided here alone.
import type { Response } from 'express'
import type { Site } from '#pay/page-input.ts'
import type { PaySettings } from '#pay/site.ts'

/**
 * Replaces the headers for data. Scripts and styles come from files of this service only, and none is inside the page.
 * A page calls this service only, at the address of the page and at `publicUrl`, and no other site may show it unless `embeddedIn`
 * does. The address of a page contains a secret: it is never sent as a referrer, and no cache keeps the page.
 */
export function setPageHeaders(
  response: Response,
  { embeddedIn }: Pick<Site, 'embeddedIn'>,
  { publicUrl }: { readonly publicUrl: PaySettings['publicUrl'] | null },
): void {
  response.setHeader('Content-Type', 'text/html; charset=utf-8')
  response.setHeader(
    'Content-Security-Policy',
    policy(publicUrl === null ? null : new URL(publicUrl).origin, embeddedIn),
  )
  response.setHeader('Cross-Origin-Resource-Policy', embeddedIn === null ? 'same-origin' : 'cross-origin')
  if (embeddedIn !== null) response.removeHeader('X-Frame-Options')
  // A wallet may answer from a window of its own.
  response.setHeader('Cross-Origin-Opener-Policy', 'same-origin-allow-popups')
  response.removeHeader('Access-Control-Allow-Origin')
  response.removeHeader('Access-Control-Expose-Headers')
}

const policy = (origin: string | null, embeddedIn: string | null): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data:${origin === null ? '' : ` ${origin}`}`,
    `connect-src 'self'${origin === null ? '' : ` ${origin} ${origin.replace(/^http/, 'ws')}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${embeddedIn ?? "'none'"}`,
  ].join('; ')
