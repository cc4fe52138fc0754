// The cookies of sessions, and the requests that may use them: those of our own pages. docs/dashboard.md, "Sessions" and "For the
// operator".
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LIFETIME_MS } from '#core/accounts/session.ts'
import type { OwnBrowser } from '#graphql/caller.ts'
import { OPERATOR_SESSION, OPERATOR_SESSION_SECONDS } from '#graphql/operator/sessions.ts'
import { type Sent, SessionSecret } from '#graphql/principal.ts'
import { sentHost } from '#server/request-head.ts'

/** What a request was sent with. `browser` is undefined when it was not sent by one of our own pages. */
export type Sender = { readonly sent: Sent; readonly browser?: OwnBrowser }

type Request = Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>
type Response = Pick<ServerResponse, 'headersSent'> & { setHeader(name: string, value: string): unknown }

export type SessionCookies = {
  /** A header takes precedence over the cookie, which counts only from our own pages. */
  sentWith(request: Request): Sent
  senderOf(request: Request, response: Response): Sender
}

type Kind = {
  readonly name: string
  readonly sameSite: 'Lax' | 'Strict'
  readonly secret: RegExp
  readonly seconds: number
}

const OF_MEMBERS: Kind = {
  name: 'session',
  sameSite: 'Lax',
  secret: /^ss_[\w-]{43}$/,
  seconds: LIFETIME_MS / 1_000,
}
const OF_OPERATOR: Kind = {
  name: 'operator',
  sameSite: 'Strict',
  secret: OPERATOR_SESSION,
  seconds: OPERATOR_SESSION_SECONDS,
}

/** `publicUrl` is the address of the service for browsers. Its origin is that of our own pages. */
export function createSessionCookies(publicUrl: string): SessionCookies {
  const { origin } = new URL(publicUrl)
  return createCookies(OF_MEMBERS, () => origin)
}

/**
 * The operator reaches the service without the public address, and perhaps through a tunnel: our own page is the one at the address
 * that the request was sent to. Another name that leads here has no cookie of it.
 */
export const createOperatorCookies = (): SessionCookies =>
  createCookies(OF_OPERATOR, (request) => {
    const secure = `https://${sentHost(request)}`
    return request.headers.origin === secure ? secure : `http://${sentHost(request)}`
  })

function createCookies(kind: Kind, originOf: (request: Request) => string): SessionCookies {
  // With this prefix browsers take the cookie from this host only, never from another one of its domain.
  const nameOf = (isSecure: boolean): string => (isSecure ? `__Host-${kind.name}` : kind.name)
  const isSecure = (request: Request): boolean => originOf(request).startsWith('https:')

  /** Returns the secret in the cookie. Two cookies of this name are none: another host of the domain may have set one. */
  function secretIn(request: Request): string | null {
    const name = nameOf(isSecure(request))
    const [secret, ...others] = (request.headers.cookie ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
    return secret !== undefined && others.length === 0 && kind.secret.test(secret) ? secret : null
  }

  /**
   * Browsers name the origin of each request but a plain GET, and of each websocket. A page of another origin cannot make a GET
   * that is marked as one of the same origin.
   */
  const isOwn = (request: Request): boolean => {
    const { method, headers } = request
    return headers.origin === undefined
      ? (method === 'GET' || method === 'HEAD') &&
          headers.upgrade === undefined &&
          headers['sec-fetch-site'] === 'same-origin'
      : headers.origin === originOf(request)
  }

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
      if (request.headers.origin !== originOf(request)) return { sent }
      const secure = isSecure(request)
      const attributes = `Path=/; HttpOnly; SameSite=${kind.sameSite}${secure ? '; Secure' : ''}`
      const write = (secret: string, seconds: number): void => {
        if (response.headersSent) return
        response.setHeader('Set-Cookie', `${nameOf(secure)}=${secret}; ${attributes}; Max-Age=${seconds}`)
      }
      const browser = {
        userAgent: request.headers['user-agent'] ?? '',
        keep: (secret: string) => write(secret, kind.seconds),
        forget: () => write('', 0),
      }
      return { sent, browser }
    },
  }
}
