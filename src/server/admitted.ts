// Puts admission into yoga: it replaces parsing and validation, and comes before execution.
import { type ExecutionResult, OperationTypeNode } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { type Caller, type Gate, inTurn, type Weight } from '#graphql/context.ts'
import type { Admission, Admitted } from '#graphql/documents/admission.ts'
import { pauseFlood } from '#graphql/limits.ts'
import type { AnyPrincipal } from '#graphql/principal.ts'
import type { ServerContext } from '#server/graphql.ts'

type Operation = Caller<AnyPrincipal> & ServerContext

/** Passes on the admitted document, or the errors of a refused document. */
export const admitted: Plugin<Operation, ServerContext> = {
  onParams({ context: { admission, asked }, setParams, setResult }) {
    if (admission === undefined) return
    if ('refused' in admission) setResult({ errors: admission.refused } satisfies ExecutionResult)
    else if (asked !== undefined) setParams(asked)
  },
  onParse({ context, params: { source }, setParsedDocument }) {
    setParsedDocument(admittedOf(context, String(source)).document)
  },
  onValidate({ setResult }) {
    setResult([])
  },
}

/** Throws for a document that was not admitted: nothing is parsed here. */
function admittedOf({ admission }: ServerContext, source: string): Admitted {
  if (admission !== undefined && 'document' in admission && admission.document.loc?.source.body === source)
    return admission
  throw new Error('a document was not admitted')
}

/** A document that was refused runs nothing. */
export const weightOf = (admission: Admission): Weight =>
  'points' in admission ? admission : { points: 1, kind: OperationTypeNode.QUERY }

/** Executes heavy reads in turn. A subscription is light, because it delivers one payment at a time. */
export const inTurns = (gate: Pick<Gate<AnyPrincipal>, 'heavyWork'>): Plugin<Operation, ServerContext> => ({
  onExecute({ executeFn, setExecuteFn }) {
    setExecuteFn(async (args) => {
      const { caller, admission } = args.contextValue
      try {
        return await inTurn(gate, caller, weightOf(admission), async () => await executeFn(args))
      } catch (error) {
        return { errors: [error] }
      }
    })
  },
  onSubscribe({ subscribeFn, setSubscribeFn }) {
    setSubscribeFn(async (args) => {
      const started = await subscribeFn(args)
      if ('errors' in started) await pauseFlood(started.errors ?? [])
      return started
    })
  },
})
