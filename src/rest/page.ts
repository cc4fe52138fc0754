// The query and the reply of a list. docs/contract.md, "Lists".
import { z } from 'zod'

const LIMIT = 'must be an integer from 1 to 100'

export const pageParameters = {
  limit: z
    .string(LIMIT)
    .regex(/^(?:[1-9]\d?|100)$/, LIMIT)
    .transform(Number)
    .default(20),
  cursor: z.string('must be given once').min(1, 'must not be empty').optional(),
}

const FLAG = "must be 'true' or 'false'"
/** A query parameter that is on or off, and off when it is left out. */
export const flagParameter = z
  .enum(['true', 'false', '1', '0'], FLAG)
  .default('false')
  .transform((text) => text === 'true' || text === '1')

type Connection<Node> = {
  readonly edges: readonly { readonly node: Node }[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

export const nodesOf = <Node>({ edges }: Connection<Node>): readonly Node[] => edges.map(({ node }) => node)

export const nextCursor = ({ pageInfo }: Connection<unknown>): string | null =>
  pageInfo.hasNextPage ? pageInfo.endCursor : null
