// Parts of endpoints that several nouns share.
import { z } from 'zod'
import type { Refused } from '#graphql/executor.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { isUnreadable } from '#http/replies.ts'

/** The input of an endpoint that reads or changes one thing: the id in its path, as its document takes it. */
export const BY_ID = {
  // Any text: one that is no id is answered like an id that nothing has.
  input: z.object({ id: z.string() }),
  variables: ({ id }: { readonly id: string }) => ({ id }),
}

type Prepare = Endpoint['prepare']

type Admission = {
  /** Returns what throws for a caller that may not use the endpoint. It counts the call. */
  admit(...given: Parameters<Prepare>): (...call: Parameters<ReturnType<Prepare>>) => Promise<unknown>
  /** Returns the refusal of an input that cannot be read, from a caller that may use the endpoint. */
  refusalOf(error: Error): Refused
}

/** Refuses a caller that may not use an endpoint whatever its input is. */
export function admittedFirst(inner: Endpoint, { admit, refusalOf }: Admission): Endpoint {
  return {
    ...inner,
    prepare(executor) {
      const run = inner.prepare(executor)
      const admitted = admit(executor)
      return async (request, caller) => {
        try {
          return await run(request, caller)
        } catch (error) {
          if (!isUnreadable(error)) throw error
          await admitted(request, caller)
          throw refusalOf(error)
        }
      }
    },
  }
}
