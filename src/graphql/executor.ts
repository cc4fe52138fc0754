// Runs the documents of the other edges in this process: each is generated from the schema, and compiled when it is first used,
// never a string built at run time and never a hop over HTTP.
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { GraphQLError, type GraphQLSchema } from 'graphql'
import { compileQuery } from 'graphql-jit'
import { ServiceError } from '#core/errors.ts'
import { isoText } from '#core/text.ts'
import type { Caller } from '#graphql/caller.ts'
import { contextFor, countPublic, type Edge, inTurn } from '#graphql/context.ts'
import { operationsOf } from '#graphql/documents/known.ts'
import { pausing } from '#graphql/limits.ts'
import { causeOf } from '#graphql/public-error.ts'
import { Refused } from '#graphql/refused.ts'
import type { EndUpload } from '#graphql/uploads.ts'
import { once } from '#lib/cache.ts'

/** A result whose root fields all have values. */
export type Found<Result> = { readonly [Field in keyof Result]: NonNullable<Result[Field]> }

/** Throws Refused on anything but data in every root field. */
export type Operation<Result, Variables> = (variables: Variables, caller: Caller) => Promise<Found<Result>>

export type Executor = {
  /** Takes a document that fits the schema. Amounts are exact numbers when left out. */
  compile<Result, Variables>(
    document: TypedDocumentNode<Result, Variables>,
    amounts?: AmountForm,
  ): Operation<Result, Variables>
  /** Returns the sender of a request. Throws Refused on a header that proves nothing, and on none where one is required. */
  identify(request: Omit<Caller, 'principal'>, required: boolean): Promise<Caller>
  /** Takes a place for an upload before its body is read. Throws Refused when none is left. */
  beginUpload(caller: Caller): Promise<EndUpload>
  /** Counts a request that came to no operation. Throws Refused when there were too many. */
  count(caller: Caller): Promise<void>
}

/** How amounts in base units leave: as exact JSON numbers of any size, or in decimal digits as clients of /graphql get them. */
export type AmountForm = 'numbers' | 'digits'

/** Most amounts fit a number of JavaScript, which is written faster than a text that is first checked. */
const asNumber = (amount: unknown) =>
  typeof amount === 'bigint' && amount <= Number.MAX_SAFE_INTEGER && amount >= Number.MIN_SAFE_INTEGER
    ? Number(amount)
    : JSON.rawJSON(String(amount))

const AMOUNTS = {
  numbers: { BaseUnits: asNumber, Sum: asNumber, UInt64: asNumber },
  digits: { BaseUnits: String, Sum: String, UInt64: String },
} satisfies Record<AmountForm, object>

const SERIALIZERS = {
  // What a resolver returned has its type; the scalar's own way would parse it once more, for each field.
  DateTimeISO: (date: unknown) => (date instanceof Date ? isoText(date) : String(date)),
  UUID: String,
}

/**
 * Returns what went wrong, if need be in other words than GraphQL's: the documents are ours, and callers know of none. Without
 * any data it was a variable that did not fit, else something that a service gave.
 */
function failureOf(error: GraphQLError, isVariable: boolean): unknown {
  const cause = causeOf(error)
  if (!(cause instanceof GraphQLError)) return cause
  return isVariable ? new ServiceError('invalid_request', {}, { cause }) : new Error('a reply did not fit', { cause })
}

/** A root field that is null has an error. The documents ask for none that is null otherwise. */
const isFound = <Result>(data: Result | null | undefined): data is Found<Result> & Result =>
  data !== null && data !== undefined && Object.values(data).every((value) => value !== null)

export function createExecutor(schema: GraphQLSchema, edge: Edge): Executor {
  const refuse = (thrown: unknown, { requestId }: Pick<Caller, 'requestId'>) =>
    new Refused(edge.errors.show(thrown, requestId), { cause: thrown })
  const count = pausing((caller: Caller) => countPublic(contextFor(edge, caller)))
  return {
    compile<Result, Variables>(
      document: TypedDocumentNode<Result, Variables>,
      amounts: AmountForm = 'numbers',
    ): Operation<Result, Variables> {
      const compiled = once(async () => {
        const query = compileQuery<Result, Variables>(schema, document, undefined, {
          customSerializers: { ...SERIALIZERS, ...AMOUNTS[amounts] },
          disablingCapturingStackErrors: true,
        })
        const [operation] = operationsOf(schema, document)
        if (!('query' in query) || operation === undefined) throw new Error('a document could not be compiled')
        return { query: query.query, operation }
      })
      return async (variables, caller) => {
        const { query, operation } = await compiled()
        const weight = { points: operation.cost(Object(variables)), kind: operation.kind }
        const run = async () => await query(undefined, contextFor(edge, caller, weight), variables)
        const { data, errors } = await inTurn(edge, caller, weight, run).catch((error) => ({
          data: null,
          errors: [error],
        }))
        if (errors?.[0] !== undefined) throw refuse(failureOf(errors[0], data === undefined), caller)
        if (!isFound(data)) throw new Error('an execution gave neither data nor errors')
        return data
      }
    },
    async identify(request, required) {
      try {
        if (required && request.sent === null) throw new ServiceError('unauthenticated')
        return { ...request, principal: await edge.identify(request.sent, request.address) }
      } catch (error) {
        throw refuse(error, request)
      }
    },
    async beginUpload(caller) {
      try {
        return await edge.uploads.begin(caller)
      } catch (error) {
        throw refuse(error, caller)
      }
    },
    async count(caller) {
      try {
        await count(caller)
      } catch (error) {
        throw refuse(error, caller)
      }
    },
  }
}
