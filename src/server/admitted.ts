// Puts admission into yoga: it replaces parsing and validation, and comes before execution.
import type { ExecutionResult } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Caller } from '#graphql/caller.ts'
import { type Gate, inTurn, NO_OPERATION, type Weight } from '#graphql/context.ts'
import type { Admission, Admitted, Used } from '#graphql/documents/admission.ts'
import { HEAVY_WORK_LIMITS } from '#graphql/heavy-work.ts'
import { pauseFlood } from '#graphql/limits.ts'
import type { AnyPrincipal } from '#graphql/principal.ts'
import { causeOf } from '#graphql/public-error.ts'
import { jsonInSteps } from '#lib/steps.ts'

/** What a transport passes to yoga: the caller. The caller is identified first, so that a wrong credential is a 401. */
export type ServerContext<P extends AnyPrincipal = AnyPrincipal> = {
  readonly caller: Caller<P>
  readonly admission: Admission
  /** What was asked over HTTP; it goes to yoga as it was read, because yoga's own reading rounds numbers. */
  readonly asked?: Used
}

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
export const weightOf = (admission: Admission): Weight => ('points' in admission ? admission : NO_OPERATION)

/** Executes heavy reads in turn, and writes their results in steps. A subscription is light, because it delivers one payment at a time. */
export const inTurns = (gate: Pick<Gate<AnyPrincipal>, 'heavyWork'>): Plugin<Operation, ServerContext> => ({
  onExecute({ executeFn, setExecuteFn }) {
    setExecuteFn(async (args) => {
      const { caller, admission } = args.contextValue
      const weight = weightOf(admission)
      const execute = async (): Promise<ExecutionResult> => await executeFn(args)
      const isHeavy = weight.points >= HEAVY_WORK_LIMITS.fromPoints
      try {
        return await inTurn(gate, caller, weight, isHeavy ? async () => await written(await execute()) : execute)
      } catch (error) {
        return { errors: [error] }
      }
    })
  },
  onSubscribe({ subscribeFn, setSubscribeFn }) {
    setSubscribeFn(async (args) => {
      const started = await subscribeFn(args)
      if ('errors' in started) await pauseFlood((started.errors ?? []).map(causeOf))
      return started
    })
  },
})

/** A result with the way in which yoga writes it. */
type Written = ExecutionResult & { readonly stringify: (result: ExecutionResult) => string }

/** Returns a result whose data is already written. Its errors are not public yet, so they are written when it leaves. */
async function written(result: ExecutionResult): Promise<ExecutionResult | Written> {
  // Without data there is little to write, and a result that never began has not even null.
  if (result.data === undefined || result.data === null) return result
  const data = await jsonInSteps(result.data)
  return {
    ...result,
    stringify(whole) {
      const others = JSON.stringify({ ...whole, data: undefined })
      return others === '{}' ? `{"data":${data}}` : `{"data":${data},${others.slice(1)}`
    },
  }
}
