// An endpoint is a document and the words around it: what it reads, which credential it takes, how its reply looks.
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
 * `key`: an API key, without which 401. `optional_key`: works without, but a wrong one is 401. `counted_key`: public; a
 * valid key only counts the call for itself, and a wrong one is as good as none. `none`: public, or proved by a client
 * secret in the input; an Authorization header is not even looked at.
 */
export type Credential = 'key' | 'optional_key' | 'counted_key' | 'none'

export type Endpoint = {
  readonly method: Method
  readonly path: string
  readonly credential: Credential
  /** Compiles the document, once, at start-up. */
  prepare(executor: Pick<Executor, 'compile'>): (request: EndpointRequest, caller: Caller) => Promise<Reply>
}

type Definition<Input, Variables, Result> = {
  readonly method: Method
  readonly path: string
  readonly credential: Credential
  readonly document: TypedDocumentNode<Result, Variables>
  /** Of the body, or of the query where the method has none. Path parameters come with it, and win. */
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
