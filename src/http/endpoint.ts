// Describes an endpoint: its GraphQL document, the input that it reads, its credential, and the shape of its reply.
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { z } from 'zod'
import type { Caller } from '#graphql/context.ts'
import type { Executor, Found } from '#graphql/executor.ts'
import { readInput } from '#http/input.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export const takesBody = (method: Method): boolean => method === 'POST' || method === 'PATCH'

export type EndpointRequest = {
  /** Path parameters by name. */
  readonly params: Readonly<Record<string, unknown>>
  readonly query: unknown
  readonly body: unknown
  header(name: string): string | undefined
}

export type Reply = {
  /** 200 when left out. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: object
}

/**
 * `key`: an API key is required, else 401. `optional_key`: works without a key; an invalid key is 401. `counted_key`:
 * public; a valid key only counts the call against its own limit, and an invalid one is ignored. `none`: public, or
 * proved by a client secret in the input; the Authorization header is not read.
 */
export type Credential = 'key' | 'optional_key' | 'counted_key' | 'none'

export type Endpoint = {
  readonly method: Method
  readonly path: string
  readonly credential: Credential
  /** Compiles the document, once, at start-up. */
  prepare(executor: Pick<Executor, 'compile'>): (request: EndpointRequest, caller: Caller) => Promise<Reply>
}

export type Definition<Input, Variables, Result> = {
  readonly method: Method
  readonly path: string
  readonly credential: Credential
  readonly document: TypedDocumentNode<Result, Variables>
  /** Reads the body, or the query of a method without a body. Path parameters are added, and take precedence. */
  readonly input: z.ZodType<Input>
  variables(input: Input, request: EndpointRequest): Variables
  reply(result: Found<Result>): Reply
}

export const endpoint = <Input, Variables, Result>(definition: Definition<Input, Variables, Result>): Endpoint => ({
  method: definition.method,
  path: definition.path,
  credential: definition.credential,
  prepare(executor) {
    const execute = executor.compile(definition.document)
    return async (request, caller) => {
      const input = readInput(definition.input, inputOf(definition.method, request))
      return definition.reply(await execute(definition.variables(input, request), caller))
    }
  },
})

function inputOf(method: Method, { params, query, body }: EndpointRequest): unknown {
  const given = takesBody(method) ? body : query
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  return Object.keys(params).length > 0 && (isObject || given === undefined) ? { ...given, ...params } : given
}
