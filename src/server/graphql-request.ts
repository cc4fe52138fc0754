// A GraphQL request over HTTP: its operation, and the media type of its answer.
import type { Request, RequestHandler, Response } from 'express'
import { isRecord } from '#core/json.ts'
import { bytesOf } from '#http/body.ts'
import { decodeUtf8, isUtf8Type, parseJson } from '#http/exact-json.ts'
import { bodyErrorOf } from '#http/replies.ts'

export const JSON_TYPE = 'application/json'
export const RESPONSE_TYPE = 'application/graphql-response+json'
const STREAM_TYPE = 'text/event-stream'

/** A request that is refused before its operation is known. `message` is for the caller. */
export class BadRequest extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.headers = headers
  }
}

export type Params = {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>> | null
  readonly operationName?: string | null
}

/** Throws BadRequest on a method, a media type or an Accept header that /graphql does not support. */
export function requireAnswerable(request: Request): void {
  const { method } = request
  if (method !== 'GET' && method !== 'POST') {
    throw new BadRequest(405, 'method not allowed', { Allow: 'GET, POST, OPTIONS' })
  }
  if (!isDeliberate(request) || !isUtf8Type(request.headers['content-type'])) {
    throw new BadRequest(415, `send the request as ${JSON_TYPE}, in UTF-8`)
  }
  // An empty Accept header names no type. It counts as none, here and in yoga: RFC 9110, 12.5.1 lets a server ignore it.
  if (request.headers.accept?.trim() === '') delete request.headers.accept
  if (request.accepts([JSON_TYPE, RESPONSE_TYPE, STREAM_TYPE]) === false) {
    throw new BadRequest(406, `accept ${JSON_TYPE}, ${RESPONSE_TYPE} or ${STREAM_TYPE}`)
  }
}

/** A form on another site can post, but not as JSON and not with a custom header. */
const isDeliberate = (request: Request): boolean =>
  request.method !== 'POST' ||
  request.headers['graphql-preflight'] !== undefined ||
  request.is([JSON_TYPE, RESPONSE_TYPE]) !== false

/** Returns the media type of a JSON answer; null for a client that accepts events only. */
export function jsonTypeOf({ headers: { accept } }: Request): typeof JSON_TYPE | typeof RESPONSE_TYPE | null {
  const asked = (accept ?? '*/*').split(',').map((type) => type.split(';', 1)[0]?.trim().toLowerCase())
  const first = asked.find(
    (type) => type === RESPONSE_TYPE || type === JSON_TYPE || type === '*/*' || type === ANY_JSON,
  )
  if (first === undefined) return null
  return first === RESPONSE_TYPE ? RESPONSE_TYPE : JSON_TYPE
}
const ANY_JSON = 'application/*'

export const takesEvents = (request: Request): boolean => request.accepts([STREAM_TYPE]) !== false

/**
 * Reads the operation from the body, with `read`, or from the query string. A number that a double would round is read as NaN,
 * which no field accepts. Replaces the body of the request by the parsed object. Throws
 * BadRequest.
 */
export async function readParams(request: Request, response: Response, read: RequestHandler): Promise<Params> {
  const params = request.method === 'GET' ? paramsOfUrl(request) : await paramsOfBody(request, response, read)
  const { query, variables, operationName } = params
  if (typeof query !== 'string' || query === '') throw new BadRequest(400, 'query is required, as a string')
  if (!isObjectOrNone(variables)) throw new BadRequest(400, 'variables is a JSON object')
  if (!isObjectOrNone(params.extensions)) throw new BadRequest(400, 'extensions is a JSON object')
  if (!isStringOrNone(operationName)) throw new BadRequest(400, 'operationName is a string')
  return { query, variables, operationName }
}

type Unread = Readonly<Record<string, unknown>>

const isObjectOrNone = (value: unknown): value is Unread | null | undefined =>
  value === undefined || value === null || isRecord(value)
const isStringOrNone = (value: unknown): value is string | null | undefined =>
  value === undefined || value === null || typeof value === 'string'

function paramsOfUrl({ query }: Request): Unread {
  const json = (name: string): unknown => {
    const text = query[name]
    if (text === undefined || text === '') return undefined
    try {
      return parseJson(String(text))
    } catch {
      throw new BadRequest(400, `${name} is a JSON object`)
    }
  }
  return { ...query, variables: json('variables'), extensions: json('extensions') }
}

async function paramsOfBody(request: Request, response: Response, read: RequestHandler): Promise<Unread> {
  const bytes = await readBody(request, response, read)
  const params = parse(decode(bytes))
  if (!isRecord(params)) throw new BadRequest(400, 'the body is not a JSON object')
  request.body = params
  return params
}

async function readBody(request: Request, response: Response, read: RequestHandler): Promise<Uint8Array> {
  try {
    return await bytesOf(read, request, response)
  } catch (error) {
    const known = bodyErrorOf(error)
    throw known === null ? error : new BadRequest(known.status, known.message)
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes)
  } catch (cause) {
    throw new BadRequest(400, 'the body is not valid UTF-8', {}, { cause })
  }
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    throw new BadRequest(400, 'the body is not valid JSON', {}, { cause })
  }
}
