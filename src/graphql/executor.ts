// Runs the documents of the other edges in this process: parsed and compiled once, at start-up, never a string built
// at run time and never a hop over HTTP.
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { ExecutionResult, GraphQLSchema } from 'graphql'
import { compileQuery } from 'graphql-jit'
import { ServiceError } from '#core/errors.ts'
import { type Caller, contextFor, type Edge } from '#graphql/context.ts'
import { type ShownError, shownError } from '#graphql/public-error.ts'

export type { Caller } from '#graphql/context.ts'

/** Throws Refused on anything but data. */
export type Operation<Result, Variables> = (variables: Variables, caller: Caller) => Promise<Result>

export type Executor = {
  /** Throws at once on a document that does not fit the schema. */
  compile<Result, Variables>(document: TypedDocumentNode<Result, Variables>): Operation<Result, Variables>
  /** Who a request comes from. Throws Refused on a header that proves nothing, and on none where one is required. */
  identify(request: Omit<Caller, 'principal'>, required: boolean): Promise<Caller>
}

/** A request that was refused or that failed, as far as it may be shown. */
export class Refused extends Error {
  readonly shown: ShownError

  constructor(shown: ShownError, options?: ErrorOptions) {
    super(shown.code, options)
    this.name = 'Refused'
    this.shown = shown
  }
}

export const refusedFrom = (thrown: unknown): Refused =>
  thrown instanceof Refused ? thrown : new Refused(shownError(thrown), { cause: thrown })

export function createExecutor(schema: GraphQLSchema, edge: Edge): Executor {
  return {
    compile<Result, Variables>(document: TypedDocumentNode<Result, Variables>): Operation<Result, Variables> {
      const compiled = compileQuery<Result, Variables>(schema, document, undefined, {
        // Base units leave as exact JSON numbers of any size; a client of /graphql gets a decimal string instead.
        customSerializers: { BaseUnits: (amount: unknown) => JSON.rawJSON(String(amount)) },
        disablingCapturingStackErrors: true,
      })
      if (!('query' in compiled)) throw new Error('a document does not fit the schema', { cause: compiled.errors })
      return async (variables, caller) => dataOf(await compiled.query(undefined, contextFor(edge, caller), variables))
    },
    async identify(request, required) {
      try {
        if (required && request.authorization === null) throw new ServiceError('unauthenticated')
        return { ...request, principal: await edge.identify(request.authorization) }
      } catch (error) {
        throw refusedFrom(error)
      }
    },
  }
}

function dataOf<Result>({ data, errors }: ExecutionResult<Result>): Result {
  const [first] = errors ?? []
  if (first !== undefined) throw refusedFrom(first)
  if (data === null || data === undefined) throw new Error('an execution gave neither data nor errors')
  return data
}
