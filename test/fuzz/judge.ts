// The rules that every reply must follow, whatever the request.
import { isPublicCode } from '#graphql/error-map.ts'
import { faultOf } from '../support/stated-replies.ts'
import type { Answer, Reply } from './connection.ts'
import type { Sent } from './request.ts'
import { originOf, type World } from './rest-requests.ts'

/** A sentence about the fault of a reply. */
export type Judge = (sent: Sent, answer: Answer) => string | null

const STATUSES = new Set([200, 201, 202, 204, 400, 401, 403, 404, 405, 406, 408, 409, 413, 414, 415, 417, 429, 431])
export const OPERATOR_PATH = '/operator/graphql'
/**
 * Routes that may answer 502: the specification allows an upstream failure there. A cancel takes in a payment that has
 * landed without a selected asset, and the rate of that payment needs a price.
 */
const MAY_FAIL_UPSTREAM =
  /^\S+ \/(?:cancel|intents\/cancel|intents\/quote|intents\/select-token|sweep|graphql|operator\/graphql)\b/
const LEAK =
  /node_modules|\bat \S+ \(|\/src\/|\.ts:\d|(?:Type|Reference|Range|Syntax)Error|Prisma|PGlite|SELECT .* FROM/

export function createJudge(world: Pick<World, 'host' | 'tenants' | 'operatorToken'>): Judge {
  const { tenants, operatorToken } = world
  // A session counts on the pages of the service alone.
  const origin = `Origin: ${originOf(world)}`
  const judgeOwner = (request: string, { body }: Reply): string | null => {
    // The token is valid for these paths only.
    if (request.includes(OPERATOR_PATH) && request.includes(operatorToken)) return null
    for (const { name, apiKey, session, secrets } of tenants) {
      const shown = secrets.find((secret) => body.includes(secret))
      const isOwner = request.includes(apiKey) || (request.includes(session) && request.includes(origin))
      if (shown !== undefined && !isOwner) return `“${shown}” of ${name} is shown to another caller`
    }
    return null
  }
  return ({ bytes, isWhole }, answer) => {
    if (answer === 'closed') return isWhole ? 'the connection was closed without a reply' : null
    if (answer === 'silent') return isWhole ? 'no reply came' : null
    const request = bytes.toString()
    const line = request.slice(0, request.indexOf('\r\n'))
    // The method and the HTTP version of broken bytes are uncertain.
    const shape = isWhole ? judgeShape(answer, line) : null
    return (
      judgeStatus(line, answer) ??
      shape ??
      (isWhole ? judgeStated(line, answer) : null) ??
      judgeLeak(answer) ??
      judgeOwner(request, answer)
    )
  }
}

function judgeStatus(line: string, { status }: Reply): string | null {
  if (status === 502 && MAY_FAIL_UPSTREAM.test(line)) return null
  // The documented answer while a part of the service is down.
  if (status === 503 && /^(?:GET|HEAD) \/health\b/.test(line)) return null
  return STATUSES.has(status) ? null : `status ${status}`
}

/** What any route answers to a request that breaks a rule of HTTP. */
const OF_PROTOCOL: ReadonlySet<number> = new Set([405, 406, 408, 413, 415, 417, 431])

/** A reply of REST has a status, a code and fields that openapi.json states for its endpoint. */
function judgeStated(line: string, { status, headers, body }: Reply): string | null {
  const [method = '', target = ''] = line.split(' ')
  const [type, code] = [headers.get('content-type') ?? '', headers.get('error-code') ?? null]
  if (OF_PROTOCOL.has(status) || code === 'not_found' || body === '') return null
  return faultOf(method, target, { status, type, code, text: body })
}

/** A page of HTML has a script of its own. */
const judgeLeak = ({ headers, body }: Reply): string | null =>
  !headers.get('content-type')?.startsWith('text/html') && LEAK.test(body) ? 'an internal detail is shown' : null

/** Pages of subscribers explain a refusal to people, where the client prefers a page. */
const PAGE = /^\S+ \/pay\//

function judgeShape({ status, headers, body }: Reply, line: string): string | null {
  if (!headers.has('x-request-id')) return 'no x-request-id'
  if (line.startsWith('HEAD ') || status === 204) return body === '' ? null : 'a body that is not allowed'
  const type = headers.get('content-type') ?? ''
  if (status === 200 && /^text\/(?:html|plain|csv)\b/.test(type)) return null
  if (PAGE.test(line) && type.startsWith('text/html')) return null
  if (type.startsWith('text/event-stream')) return null
  if (!/^application\/(?:json|graphql-response\+json)\b/.test(type)) return `content type “${type}”`
  try {
    return judgeJson({ status, code: headers.get('error-code') }, JSON.parse(body))
  } catch {
    return 'the body is not JSON'
  }
}

function judgeJson(
  { status, code }: { readonly status: number; readonly code: string | null | undefined },
  body: unknown,
): string | null {
  if (typeof body !== 'object' || body === null) return 'the body is no object'
  if ('errors' in body) {
    const isDocumented = Array.isArray(body.errors) && body.errors.length > 0 && body.errors.every(isGraphQLError)
    return isDocumented ? null : 'an error of another shape'
  }
  if (status < 400) return null
  const isDocumented = 'error' in body && typeof body.error === 'string' && body.error !== ''
  if (!isDocumented) return 'an error of another shape'
  return isPublicCode(code) ? null : `an error with the code “${code}”`
}

const isGraphQLError = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'message' in error &&
  typeof error.message === 'string' &&
  'extensions' in error &&
  typeof error.extensions === 'object' &&
  error.extensions !== null &&
  'code' in error.extensions &&
  isPublicCode(error.extensions.code) &&
  !('originalError' in error.extensions)
