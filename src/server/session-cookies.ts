// The cookie of a session, and the requests that may use it: those of our own pages. docs/dashboard.md, "Sessions".
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LIFETIME_MS } from '#core/accounts/session.ts'
import type { OwnBrowser } from '#graphql/caller.ts'
import { type Sent, SessionSecret } from '#graphql/principal.ts'

/** What a request was sent with. `browser` is undefined when it was not sent by one of our own pages. */
export type Sender = { readonly sent: Sent; readonly browser?: OwnBrowser }

type Request = Pick<IncomingMessage, 'method' | 'headers'>
type Response = Pick<ServerResponse, 'headersSent'> & { setHeader(name: string, value: string): unknown }

export type SessionCookies = {
  /** A header takes precedence over the cookie, which counts only from our own pages. */
  sentWith(request: Request): Sent
  senderOf(request: Request, response: Response): Sender
}

/** The sender of a request for which a cookie is no credential. */
export const senderByHeader = ({ headers }: Request): Sender => ({ sent: headers.authorization ?? null })

const SECRET = /^ss_[\w-]{43}$/

/** `publicUrl` is the address of the service for browsers. Its origin is that of our own pages. */
export function createSessionCookies(publicUrl: string): SessionCookies {
  const { origin, protocol } = new URL(publicUrl)
  const isSecure = protocol === 'https:'
  // With this prefix browsers take the cookie from this host only, never from another one of its domain.
  const name = isSecure ? '__Host-session' : 'session'
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  const write = (response: Response, secret: string, seconds: number): void => {
    if (!response.headersSent) response.setHeader('Set-Cookie', `${name}=${secret}; ${attributes}; Max-Age=${seconds}`)
  }

  /** Returns the secret in the cookie. Two cookies of this name are none: another host of the domain may have set one. */
  function secretIn({ headers: { cookie = '' } }: Request): string | null {
    const [secret, ...others] = cookie
      .split(';')
      .map((pair) => pair.trim())
      .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
    return secret !== undefined && others.length === 0 && SECRET.test(secret) ? secret : null
  }

  /**
   * Browsers name the origin of each request but a plain GET, and of each websocket. A page of another origin cannot make a GET
   * that is marked as one of the same origin.
   */
  const isOwn = ({ method, headers }: Request): boolean =>
    headers.origin === undefined
      ? (method === 'GET' || method === 'HEAD') &&
        headers.upgrade === undefined &&
        headers['sec-fetch-site'] === 'same-origin'
      : headers.origin === origin

  function sentWith(request: Request): Sent {
    const { authorization } = request.headers
    if (authorization !== undefined) return authorization
    const secret = secretIn(request)
    return secret !== null && isOwn(request) ? new SessionSecret(secret) : null
  }

  return {
    sentWith,

    senderOf(request, response) {
      const sent = sentWith(request)
      if (request.headers.origin !== origin) return { sent }
      const browser = {
        userAgent: request.headers['user-agent'] ?? '',
        keep: (secret: string) => write(response, secret, LIFETIME_MS / 1_000),
        forget: () => write(response, '', 0),
      }
      return { sent, browser }
    },
  }
}
