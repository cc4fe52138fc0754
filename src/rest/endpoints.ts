// Parts of endpoints that several nouns share.
import { z } from 'zod'
import type { Refused } from '#graphql/refused.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { shownAs } from '#http/input.ts'
import { isUnreadable } from '#http/replies.ts'

// The query and the reply of a list. docs/contract.md, "Lists".

const LIMIT = 'must be an integer from 1 to 100'

export const SHOWN_LIMIT = shownAs({ type: 'integer', minimum: 1, maximum: 100, default: 20 })

export const pageParameters = {
  limit: z
    .string(LIMIT)
    .regex(/^(?:[1-9]\d?|100)$/, LIMIT)
    .meta(SHOWN_LIMIT)
    .transform(Number)
    .default(20),
  cursor: z.string('must be given once').min(1, 'must not be empty').optional(),
}

const FLAG = "must be 'true' or 'false'"
/** A query parameter that is on or off, and off when it is left out. */
export const flagParameter = z
  .enum(['true', 'false', '1', '0'], FLAG)
  .default('false')
  .meta(shownAs({ type: 'boolean', default: false }))
  .transform((text) => text === 'true' || text === '1')

export type Connection<Node> = {
  readonly edges: readonly { readonly node: Node }[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

export const nodesOf = <Node>({ edges }: Pick<Connection<Node>, 'edges'>): readonly Node[] =>
  edges.map(({ node }) => node)

export const nextCursor = ({ pageInfo }: Connection<unknown>): string | null =>
  pageInfo.hasNextPage ? pageInfo.endCursor : null

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
