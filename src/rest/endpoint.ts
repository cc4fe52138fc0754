// An endpoint is a document and the words around it: what it reads, which credential it takes, how its reply looks.
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { z } from 'zod'
import type { Caller, Executor } from '#graphql/executor.ts'
import { readInput } from '#rest/input.ts'

export type Method = 'GET' | 'POST'

export type RestRequest = {
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
  prepare(executor: Pick<Executor, 'compile'>): (request: RestRequest, caller: Caller) => Promise<Reply>
}

type Definition<Input, Variables, Result> = {
  readonly method: Method
  readonly path: string
  readonly credential: Credential
  readonly document: TypedDocumentNode<Result, Variables>
  readonly input: z.ZodType<Input>
  variables(input: Input, request: RestRequest): Variables
  reply(result: Result): Reply
}

export const endpoint = <Input, Variables, Result>(definition: Definition<Input, Variables, Result>): Endpoint => ({
  method: definition.method,
  path: definition.path,
  credential: definition.credential,
  prepare(executor) {
    const execute = executor.compile(definition.document)
    return async (request, caller) => {
      const input = readInput(definition.input, definition.method === 'GET' ? request.query : request.body)
      return definition.reply(await execute(definition.variables(input, request), caller))
    }
  },
})
