// Every error that leaves /graphql, in a reply or within a stream, is made public first; what it hides goes to the log.
import type { ExecutionResult, GraphQLError } from 'graphql'
import { isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga'
import type { Context } from '#graphql/context.ts'
import { publicGraphQLError, shownError } from '#graphql/public-error.ts'

/** Told of a failure of ours, whose cause no caller is shown. */
export type Report = (error: unknown, requestId: string) => void

export function maskErrors(report: Report): Plugin<Context> {
  const show = (error: unknown, requestId: string): GraphQLError => {
    if (shownError(error).unexpected) report(error, requestId)
    return publicGraphQLError(error, requestId)
  }
  const masked = (result: ExecutionResult, requestId: string): ExecutionResult =>
    result.errors === undefined ? result : { ...result, errors: result.errors.map((error) => show(error, requestId)) }
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
        setError(show(error, contextValue.requestId))
      },
    }),
  }
}
