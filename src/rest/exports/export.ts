// An endpoint that streams every entry of a list as CSV: page by page, so that it keeps one page in memory.
import { setTimeout as sleep } from 'node:timers/promises'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { z } from 'zod'
import type { Executor, Operation } from '#graphql/executor.ts'
import { Refused } from '#graphql/refused.ts'
import { type Cell, csvRecord } from '#http/csv.ts'
import { type Endpoint, type Reply, type Sources, TextStream } from '#http/endpoint.ts'
import { asset, keyText, readInput, text, timeParameter } from '#http/input.ts'
import { type Connection, nextCursor, nodesOf } from '#rest/endpoints.ts'
import { statuses, withMetadata } from '#rest/payments/payment.ts'

/** Which entries an export has. */
type Range = { readonly from: string | null; readonly to: string | null }
type Caller = Parameters<Operation<unknown, unknown>>[1]
type ReadPage<Node> = (after: string | null) => Promise<Connection<Node>>

type List<Node, Part> = Pick<Sources, 'document'> & {
  /** Returns what reads a page of a part, for one seller or for all that the business has created. */
  prepare(executor: Pick<Executor, 'compile'>): (part: Part, sellerId: string | null, caller: Caller) => ReadPage<Node>
}

/** A list whose entries for one seller are a list of their own. */
export function listBySeller<Node, Part extends Range>(
  all: TypedDocumentNode<Page<Node>, Variables<Part>>,
  ofSeller: TypedDocumentNode<Page<Node>, Variables<Part & { readonly sellerId: string }>>,
): List<Node, Part> {
  return {
    document: all,
    prepare(executor) {
      const [readAll, readSeller] = [executor.compile(all, 'digits'), executor.compile(ofSeller, 'digits')]
      return (part, sellerId, caller) => async (after) => {
        const { page } =
          sellerId === null
            ? await readAll({ after, filter: part }, caller)
            : await readSeller({ after, filter: { ...part, sellerId } }, caller)
        return page
      }
    },
  }
}

/** A list that a marketplace reads on behalf of a seller. */
export function listOnBehalf<Node>(
  document: TypedDocumentNode<Page<Node>, Variables<Range> & { onBehalfOf?: string | null }>,
): List<Node, Range> {
  return {
    document,
    prepare(executor) {
      const read = executor.compile(document, 'digits')
      return (filter, onBehalfOf, caller) => async (after) => (await read({ after, filter, onBehalfOf }, caller)).page
    },
  }
}

/** The event log, of which a part is about a seller. */
export function listOfEvents<Node>(
  document: TypedDocumentNode<Page<Node>, Range & { after?: string | null; sellerId: string | null }>,
): List<Node, Range> {
  return {
    document,
    prepare(executor) {
      const read = executor.compile(document)
      return (range, sellerId, caller) => async (after) => (await read({ after, ...range, sellerId }, caller)).page
    },
  }
}

type Page<Node> = { readonly page: Connection<Node> | null }
type Variables<Filter> = { after?: string | null; filter: Filter }

/** What a query asks for: a part of a list, for one seller or for all. */
type Asked<Part> = { readonly part: Part; readonly sellerId: string | null }

type Export<Node, Part> = {
  readonly path: string
  readonly list: List<Node, Part>
  readonly input: z.ZodType<Asked<Part>>
  readonly columns: readonly string[]
  /** Returns the records of an entry, in the order of the columns. */
  records(node: Node): readonly (readonly Cell[])[]
}

const RANGE = {
  from: timeParameter.optional(),
  to: timeParameter.optional(),
  seller_id: z.string('must be given once').describe('Only what is for this seller.').optional(),
}

/** The entries of a range. */
export const rangeInput = z
  .object(RANGE)
  .transform(({ from = null, to = null, seller_id: sellerId = null }) => ({ part: { from, to }, sellerId }))

/** The payments that a filter of the list of payments finds. */
export const paymentsInput = z
  .looseObject({
    ...RANGE,
    status: statuses.optional(),
    reference: keyText.optional(),
    search: text.optional(),
    asset: asset.optional(),
  })
  .transform((query, context) => {
    const { from = null, to = null, seller_id: sellerId = null, ...filter } = withMetadata(query, context)
    const { status = null, reference = null, search = null, asset = null, metadata } = filter
    return { part: { from, to, status, reference, search, asset, metadata }, sellerId }
  })

export function exportEndpoint<Node, Part>(definition: Export<Node, Part>): Endpoint {
  const { path, list, input, columns, records } = definition
  const replyOf = (pages: AsyncIterable<readonly Node[]>): Reply => ({
    headers: { 'Content-Disposition': `attachment; filename="${path.slice(path.lastIndexOf('/') + 1)}"` },
    body: new TextStream('text/csv; charset=utf-8; header=present', csvOf(columns, records, pages)),
  })
  return {
    method: 'GET',
    path,
    credential: 'key_or_session',
    takes: 'nothing',
    sources: { document: list.document, input, reply: replyOf },
    prepare(executor) {
      const pagesOf = list.prepare(executor)
      return async ({ query }, caller) => {
        const { part, sellerId } = readInput(input, query)
        const readAs = (caller: Caller) => pagesOf(part, sellerId, caller)
        // A download can last for hours, and a key that is revoked meanwhile, or a session that ends, reads no further page.
        const read = async (after: string) => readAs(await executor.identify(caller, true))(after)
        // A refusal is an answer like any other: the stream begins when the first page is there.
        const first = await readAs(caller)(null)
        return replyOf(entriesOf(first, (after) => inTime(() => read(after), caller.signal)))
      }
    },
  }
}

async function* entriesOf<Node>(
  first: Connection<Node>,
  read: (after: string) => Promise<Connection<Node>>,
): AsyncGenerator<readonly Node[]> {
  let page = first
  for (;;) {
    yield nodesOf(page)
    const after = nextCursor(page)
    if (after === null) return
    page = await read(after)
  }
}

async function* csvOf<Node>(
  columns: readonly string[],
  records: Export<Node, unknown>['records'],
  pages: AsyncIterable<readonly Node[]>,
): AsyncGenerator<string> {
  yield csvRecord(columns)
  for await (const nodes of pages) {
    const text = nodes.flatMap(records).map(csvRecord).join('')
    if (text !== '') yield text
  }
}

const MOST_WAITS = 60

/** Reads a page, and waits for its turn when the limit of the key is used up: a long export must not fail for that. */
async function inTime<Page>(read: () => Promise<Page>, signal: AbortSignal | undefined): Promise<Page> {
  for (let waits = 0; ; waits += 1)
    try {
      return await read()
    } catch (error) {
      const seconds = error instanceof Refused && error.shown.code === 'rate_limited' ? error.shown.retryAfter : null
      if (seconds === null || waits === MOST_WAITS) throw error
      await sleep(seconds * 1_000, undefined, { signal })
    }
}
