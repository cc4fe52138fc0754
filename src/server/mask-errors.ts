// Makes each error of /graphql public before it leaves, in a reply or within a stream. The hidden cause goes to the
// log.
import { type ExecutionResult, GraphQLError } from 'graphql'
import { isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga'
import type { Caller } from '#graphql/caller.ts'
import { ERROR_MAP, isPublicCode } from '#graphql/error-map.ts'
import type { AnyPrincipal } from '#graphql/principal.ts'
import type { Errors } from '#graphql/public-error.ts'

export function maskErrors({ showGraphQL }: Errors): Plugin<Caller<AnyPrincipal>> {
  const masked = (result: ExecutionResult, requestId: string): ExecutionResult =>
    result.errors === undefined
      ? result
      : { ...result, errors: result.errors.map((error) => showGraphQL(error, requestId)) }
  return {
    onExecute: ({ args: { contextValue } }) => ({
      onExecuteDone({ result, setResult }) {
        if (!isAsyncIterable(result)) setResult(masked(result, contextValue.requestId))
      },
    }),
    onSubscribe: ({ args: { contextValue } }) => ({
      onSubscribeResult({ result, setResult }) {
        const { requestId } = contextValue
        if (isAsyncIterable(result)) setResult(mapAsyncIterator(result, (one) => masked(one, requestId)))
        else setResult(masked(result, requestId))
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
