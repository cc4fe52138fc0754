// Describes an endpoint: its GraphQL document, the input that it reads, its credential, and the shape of its reply.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { DocumentNode } from 'graphql'
import type { z } from 'zod'
import { isRecord } from '#core/json.ts'
import type { Caller } from '#graphql/caller.ts'
import type { Executor, Found } from '#graphql/executor.ts'
import { readInput } from './input.ts'

// Names the fields of a body that its endpoint does not read: docs/contract.md, "JSON and amounts".

const MOST_FIELDS = 20
const MOST_CHARACTERS = 1_000

/**
 * Returns the header that names the fields of `given` that are missing in `read`, as paths; null when there are none. Names
 * are percent-encoded. A list that is too long ends with `...`.
 */
function ignoredFields(given: unknown, read: unknown): string | null {
  const named: string[] = []
  let characters = 0
  for (const path of missing(given, read, '')) {
    characters += path.length
    const isFull = named.length === MOST_FIELDS || characters > MOST_CHARACTERS
    named.push(isFull ? '...' : path)
    if (isFull) break
  }
  return named.length === 0 ? null : named.join(', ')
}

function* missing(given: unknown, read: unknown, path: string): Generator<string> {
  if (given === read) return
  if (Array.isArray(given) && Array.isArray(read)) {
    for (const [at, item] of given.entries()) yield* missing(item, read[at], `${path}[${at}]`)
  } else if (isRecord(given) && isRecord(read)) {
    for (const [name, value] of Object.entries(given)) {
      const own = `${path}${path === '' ? '' : '.'}${encodeURIComponent(name.toWellFormed())}`
      if (Object.hasOwn(read, name)) yield* missing(value, read[name], own)
      else yield own
    }
  }
}

/** The path of {pay_url} on this service. `PAY_URL` has the address by which browsers reach it. */
export const PAY_PATH = '/pay'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * What an endpoint reads from the body. `json`: an object. `image`: the bytes of an image of at most 1 MB, read after the
 * caller is identified.
 */
export type BodyKind = 'json' | 'image' | 'nothing'

export type EndpointRequest = {
  /** Path parameters by name. */
  readonly params: Readonly<Record<string, unknown>>
  readonly query: unknown
  /** Throws UnreadableJson when it is read, so that an endpoint can refuse a caller whatever its body is. */
  readonly body: unknown
  /** Reads the body as the bytes of an image. Throws BodyRefused. */
  image(): Promise<Uint8Array>
  header(name: string): string | undefined
  /** Sets a header of the answer, a refusal included. */
  setHeader(name: string, value: string): void
}

export type Reply = {
  /** 200 when left out. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Written as JSON, but for a TextStream. */
  readonly body: object
}

/** A text that is written as it comes. When it throws, the connection is cut, so that the client sees that the text has no end. */
export class TextStream {
  readonly type: string
  readonly parts: AsyncIterable<string>

  constructor(type: string, parts: AsyncIterable<string>) {
    this.type = type
    this.parts = parts
  }
}

/**
 * `key`: an API key is required, else 401. `key_or_session`: so is a key, or the session of a member. `optional_key`: works without a key; an invalid key is 401. `counted_key`:
 * public; a valid key only counts the call against its own limit, and an invalid one is ignored. `none`: public, or
 * proved by a client secret in the input; the Authorization header is not read.
 */
export type Credential = 'key' | 'key_or_session' | 'optional_key' | 'counted_key' | 'none'

/** What openapi.json derives from: docs/decisions/interfaces.md. */
export type Sources = {
  /** Its operation has the name, the arguments and the fields of the endpoint. */
  readonly document: DocumentNode
  readonly input: z.ZodType
  /** Makes a reply also of what stands for a result. */
  readonly reply: (result: never) => Reply
}

export type Endpoint = {
  readonly method: Method
  readonly path: string
  readonly credential: Credential
  readonly takes: BodyKind
  readonly sources: Sources
  /** Returns what to throw for anything that was thrown, also by the identification of the caller. Itself when left out. */
  readonly shownAs?: (error: unknown) => unknown
  /** Takes the executor, once, at start-up. */
  prepare(
    executor: Pick<Executor, 'compile' | 'identify' | 'beginUpload'>,
  ): (request: EndpointRequest, caller: Caller) => Promise<Reply>
}

export type Definition<Input, Variables, Result> = {
  readonly method: Method
  readonly path: string
  readonly credential: Credential
  /** An object for POST and PATCH, and nothing for other methods, when left out. */
  readonly takes?: BodyKind
  /** With a variable `idempotencyKey`, the header `Idempotency-Key` is its value. */
  readonly document: TypedDocumentNode<Result, Variables>
  /** Reads the body, or the query where the endpoint takes no body. An image is the field `image`. Path parameters are added, and take precedence. */
  readonly input: z.ZodType<Input>
  variables(input: Input, request: EndpointRequest): Variables
  reply(result: Found<Result>): Reply
}

export function endpoint<Input, Variables, Result>(definition: Definition<Input, Variables, Result>): Endpoint {
  const { method, path, credential, takes = usualBody(method) } = definition
  return {
    method,
    path,
    credential,
    takes,
    sources: definition,
    prepare(executor) {
      const execute = executor.compile(definition.document)
      const takesKey = namesOfVariables(definition.document).includes('idempotencyKey')
      const keyIn = (request: EndpointRequest) => takesKey && { idempotencyKey: request.header('idempotency-key') }
      const run = async (given: unknown, request: EndpointRequest, caller: Caller): Promise<Reply> => {
        const input = readInput(definition.input, given)
        if (takes === 'json') nameIgnored(request, input)
        const variables = { ...definition.variables(input, request), ...keyIn(request) }
        return definition.reply(await execute(variables, caller))
      }
      if (takes !== 'image') return (request, caller) => run(inputOf(method, takes, request), request, caller)
      return async (request, caller) => {
        const end = await executor.beginUpload(caller)
        try {
          return await run({ ...request.params, image: await request.image() }, request, caller)
        } finally {
          end()
        }
      }
    },
  }
}

const namesOfVariables = ({ definitions }: TypedDocumentNode<unknown, never>): readonly string[] =>
  definitions
    .flatMap((definition) => ('variableDefinitions' in definition ? (definition.variableDefinitions ?? []) : []))
    .map(({ variable }) => variable.name.value)

/** Names the fields of the body that the endpoint does not read. A parameter of the path takes precedence over such a field. */
function nameIgnored(request: EndpointRequest, input: unknown): void {
  const ofBody = Object.entries(Object(input)).filter(([name]) => !Object.hasOwn(request.params, name))
  const ignored = ignoredFields(request.body, Object.fromEntries(ofBody))
  if (ignored !== null) request.setHeader('Ignored-Fields', ignored)
}

const usualBody = (method: Method): BodyKind => (method === 'POST' || method === 'PATCH' ? 'json' : 'nothing')

function inputOf(method: Method, takes: BodyKind, request: EndpointRequest): unknown {
  const { params } = request
  const given = takes === 'json' ? request.body : request.query
  // An action such as an archive has nothing to send. A change without a body says nothing.
  const isNothing = given === undefined && method !== 'PATCH'
  return Object.keys(params).length > 0 && (isRecord(given) || isNothing) ? { ...Object(given), ...params } : given
}
