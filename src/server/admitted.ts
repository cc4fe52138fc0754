// How admission comes into yoga: in place of its own parsing and validation, and before any of it over HTTP.
import { GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Context, Edge } from '#graphql/context.ts'
import type { ServerContext } from '#server/graphql.ts'

/** Hands over the document that was admitted. Throws for an operation that was not. */
export const admitted: Plugin<Context & ServerContext, ServerContext> = {
  onParse({ context, setParsedDocument }) {
    if (context.admitted === undefined) throw new Error('a document was not admitted')
    setParsedDocument(context.admitted.document)
  },
  onValidate({ setResult }) {
    setResult([])
  },
}

/** Admits each HTTP request, or answers it with the refusal. A websocket admits its operations itself. */
export const admittedOverHttp = ({
  admit,
  errors,
}: Pick<Edge, 'admit' | 'errors'>): Plugin<Context, ServerContext> => ({
  async onParams({ params, context, setResult }) {
    const { query, variables, operationName } = params
    // Yoga has an answer for what is no query at all.
    if (typeof query !== 'string') return
    try {
      const admission = await admit(context.caller, { query, variables, operationName })
      if ('refused' in admission) setResult({ errors: admission.refused.map(withBadRequest) })
      else context.admitted = admission
    } catch (error) {
      setResult({ errors: [overHttp(errors, error, context.caller.requestId)] })
    }
  },
})

/** GraphQL over HTTP: 400, but 200 for a client that accepts only application/json. */
const withBadRequest = (error: GraphQLError): GraphQLError => withHttp(error, { spec: true, status: 400 })

/** Answers a refusal with its own status, and tells when to come again. */
function overHttp(errors: Edge['errors'], thrown: unknown, requestId: string): GraphQLError {
  const { status, retryAfter } = errors.show(thrown, requestId)
  const headers = retryAfter === null ? {} : { 'Retry-After': String(retryAfter) }
  return withHttp(errors.showGraphQL(thrown, requestId), { status, headers })
}

/** Yoga takes `http` from an error's extensions, and shows it to nobody. */
function withHttp({ message, source, positions, extensions }: GraphQLError, http: object): GraphQLError {
  return new GraphQLError(message, { source, positions, extensions: { ...extensions, http } })
}
