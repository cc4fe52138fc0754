// Makes each error of /graphql public before it leaves, in a reply or within a stream. The hidden cause goes to the
// log.
import type { ExecutionResult } from 'graphql'
import { isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga'
import type { Caller } from '#graphql/context.ts'
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
  }
}
