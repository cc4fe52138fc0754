// GraphQL over HTTP, for the public schema and the operator's: yoga behind express. Yoga parses and validates nothing,
// because each document is admitted first.

import type { Request, RequestHandler, Response } from 'express'
import { type ExecutionResult, GraphQLError, type GraphQLSchema, OperationTypeNode } from 'graphql'
import { createYoga, isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga'
import type { Caller } from '#graphql/caller.ts'
import type { Gate, Weight } from '#graphql/context.ts'
import { onlyDeclared } from '#graphql/documents/admission.ts'
import { ERROR_MAP, formCodeOf, isPublicCode } from '#graphql/error-map.ts'
import { type AnyPrincipal, maySendImage, SessionSecret } from '#graphql/principal.ts'
import { type Errors, isShown } from '#graphql/public-error.ts'
import { declaresLargeBody, readBytes, readBytesWithImage } from '#http/body.ts'
import { challenge, showTallies } from '#http/replies.ts'
import type { Sender, SessionCookies } from '#server/session-cookies.ts'
import { admitted, inTurns, type ServerContext, weightOf } from './admitted.ts'
import {
  BadRequest,
  JSON_TYPE,
  jsonTypeOf,
  RESPONSE_TYPE,
  readParams,
  requireAnswerable,
  takesEvents,
} from './graphql-request.ts'
import { type Answering, answerWithYoga, type Yoga } from './yoga-over-http.ts'

// Makes each error of /graphql public before it leaves, in a reply or within a stream. The hidden cause goes to the
// log.

function maskErrors({ showGraphQL }: Errors): Plugin<Caller<AnyPrincipal>> {
  const masked = (result: ExecutionResult, { requestId, onRefused }: Caller<AnyPrincipal>): ExecutionResult => {
    if (result.errors === undefined) return result
    const errors = result.errors.map((error) => showGraphQL(error, requestId))
    onRefused?.(String(errors[0]?.extensions.code))
    return { ...result, errors }
  }
  return {
    onExecute: ({ args: { contextValue } }) => ({
      onExecuteDone({ result, setResult }) {
        if (!isAsyncIterable(result)) setResult(masked(result, contextValue))
      },
    }),
    onSubscribe: ({ args: { contextValue } }) => ({
      onSubscribeResult({ result, setResult }) {
        if (isAsyncIterable(result)) setResult(mapAsyncIterator(result, (one) => masked(one, contextValue)))
        else setResult(masked(result, contextValue))
      },
      onSubscribeError({ error, setError }) {
        setError(showGraphQL(error, contextValue.requestId))
      },
    }),
    onResultProcess({ result, setResult }) {
      if (Array.isArray(result) || isAsyncIterable(result) || result.data !== undefined) return
      setResult({ ...result, errors: result.errors?.map(withStatus) })
    },
  }
}

/** Makes yoga use a status for application/graphql-response+json only, and answer 200 to other clients. */
const spec = true

/** Adds the HTTP status of its code to an error of an operation that ran no field. */
function withStatus(error: GraphQLError): GraphQLError {
  const { message, nodes, source, positions, path, extensions } = error
  if (!isPublicCode(extensions.code)) return error
  const { status } = ERROR_MAP[extensions.code]
  return new GraphQLError(message, {
    nodes,
    source,
    positions,
    path,
    extensions: { ...extensions, http: { spec, status } },
  })
}

export const GRAPHQL_PATH = '/graphql'
export const OPERATOR_PATH = '/operator/graphql'

/** A schema, its path, and who may use it. */
export type Endpoint<P extends AnyPrincipal, C extends Caller<P>> = {
  readonly path: string
  readonly schema: GraphQLSchema
  readonly gate: Gate<P>
  readonly senderOf: SessionCookies['senderOf']
  /** Returns the context of the resolvers for an operation. */
  readonly contextOf: (caller: Caller<P>, weight: Weight) => C
}

export function createGraphQL<P extends AnyPrincipal, C extends Caller<P>>(
  endpoint: Omit<Endpoint<P, C>, 'senderOf'>,
): Yoga<P, C> {
  const { path, schema, gate, contextOf } = endpoint
  return createYoga<ServerContext<P>, C>({
    schema,
    graphqlEndpoint: path,
    context: ({ caller, admission }) => contextOf(caller, weightOf(admission)),
    plugins: [admitted, inTurns(gate), maskErrors(gate.errors)],
    parserAndValidationCache: false,
    // The plugin above makes errors public, because it knows the request. Other errors are those of libraries.
    maskedErrors: { maskError: (error) => (isShown(error) ? error : gate.errors.showGraphQL(error, '')) },
    logging: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    // The body is already read, and its size checked.
    maxRequestBodySize: false,
    // graphiql.ts serves the page of GraphiQL.
    graphiql: false,
  })
}

/**
 * Handles GraphQL on express. A request is read and its document is admitted before yoga is called: a refusal costs little, and
 * has the shape of every other GraphQL error.
 */
export function graphqlHandler<P extends AnyPrincipal, C extends Caller<P>>(
  answering: Answering<P, C>,
  { path, gate, senderOf }: Pick<Endpoint<P, C>, 'path' | 'gate' | 'senderOf'>,
): RequestHandler {
  return async (request, response, next) => {
    // Express matches /graphql/ as the same path; only the path without the slash is served.
    if (request.path !== path) return next()
    response.locals.route = path
    try {
      requireAnswerable(request)
      const caller = await callerOf(gate, senderOf(request, response), response)
      await answer(answering, gate, caller, request, response)
    } catch (error) {
      refuse(gate, request, response, error)
    }
  }
}

async function answer<P extends AnyPrincipal, C extends Caller<P>>(
  answering: Answering<P, C>,
  gate: Gate<P>,
  caller: Caller<P>,
  request: Request,
  response: Response,
): Promise<void> {
  const isUpload = declaresLargeBody(request) && maySendImage(caller.principal)
  const end = isUpload ? await gate.uploads.begin(caller) : undefined
  try {
    const context = await admit(gate, caller, request, response, isUpload ? readBytesWithImage : readBytes)
    if (context === null) return
    // A stream can stay open for days, and keeps no image.
    if (weightOf(context.admission).kind === OperationTypeNode.SUBSCRIPTION) end?.()
    await answerWithYoga(answering, request, response, context)
  } finally {
    end?.()
  }
}

/**
 * Reads the request with `read`, and admits its document. Returns null when a refusal is sent. Drops the parts of the request that
 * the operation does not use, because an open stream keeps its request in memory.
 */
async function admit<P extends AnyPrincipal>(
  gate: Pick<Gate<P>, 'admit'>,
  caller: Caller<P>,
  request: Request,
  response: Response,
  read: RequestHandler,
): Promise<ServerContext<P> | null> {
  const params = await readParams(request, response, read)
  // Yoga chooses its parser by this type, and knows fewer types than are accepted here.
  if (request.method === 'POST') request.headers['content-type'] = JSON_TYPE
  const admission = await gate.admit(caller, params)
  if ('refused' in admission) {
    const type = jsonTypeOf(request)
    if (type === null) return { caller, admission }
    response.locals.errorCode = String(admission.refused[0]?.extensions.code)
    // GraphQL over HTTP: a refused document is a 200 for a client that accepts plain JSON only.
    send(request, response, { status: type === RESPONSE_TYPE ? 400 : 200, errors: admission.refused })
    return null
  }
  if (admission.kind === OperationTypeNode.MUTATION && request.method === 'GET') {
    throw new BadRequest(405, 'a mutation is sent by POST', { Allow: 'POST' })
  }
  if (admission.kind === OperationTypeNode.SUBSCRIPTION && !takesEvents(request)) {
    throw new BadRequest(406, 'a subscription is answered as text/event-stream, or over a websocket')
  }
  const asked = onlyDeclared(params, admission.document)
  if (request.method === 'POST') request.body = asked
  return { caller, admission, asked }
}

async function callerOf<P extends AnyPrincipal>(
  { identify }: Pick<Gate<P>, 'identify'>,
  { sent, browser }: Sender,
  response: Response,
): Promise<Caller<P>> {
  const { requestId, address } = response.locals
  const over = new AbortController()
  response.once('close', () => over.abort())
  const principal = await identify(sent, address)
  response.locals.principal = principal
  // Its session is over.
  if (sent instanceof SessionSecret && principal.kind === 'anonymous') browser?.forget()
  return {
    principal,
    sent,
    address,
    requestId,
    onCounted: showTallies(response),
    onRefused: (code) => {
      response.locals.errorCode ??= code
    },
    signal: over.signal,
    ...(browser !== undefined && { browser }),
  }
}

type Refusal = { readonly status: number; readonly errors: readonly unknown[] }

/** Answers in the type that the request accepts, or as JSON where it accepts events only. */
function send(request: Request, response: Response, { status, errors }: Refusal): void {
  const type = jsonTypeOf(request) ?? JSON_TYPE
  response.status(status).setHeader('Content-Type', `${type}; charset=utf-8`)
  response.end(JSON.stringify({ errors }))
}

function refuse(
  { errors }: Pick<Gate<AnyPrincipal>, 'errors'>,
  request: Request,
  response: Response,
  error: unknown,
): void {
  if (response.headersSent) return void response.destroy()
  if (error instanceof BadRequest) return void refuseBadRequest(request, response, error)
  const { requestId } = response.locals
  const { status, code, retryAfter } = errors.show(error, requestId)
  if (code === 'unauthenticated') challenge(response)
  if (retryAfter !== null) response.setHeader('Retry-After', String(retryAfter))
  response.locals.errorCode = code
  send(request, response, { status, errors: [errors.showGraphQL(error, requestId)] })
}

function refuseBadRequest(request: Request, response: Response, { status, message, headers }: BadRequest): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  const code = formCodeOf(status)
  response.locals.errorCode = code
  send(request, response, { status, errors: [{ message, extensions: { code } }] })
}
