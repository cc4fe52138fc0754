// The event log of a business.
import { z } from 'zod'
import { Refused } from '#graphql/refused.ts'
import { type Endpoint, endpoint } from '#http/endpoint.ts'
import { keyText } from '#http/input.ts'
import { RestEventsDocument, RestFindEventDocument } from '#rest/documents.generated.ts'
import { BY_ID, nodesOf, pageParameters } from '#rest/endpoints.ts'

const { limit, cursor } = pageParameters

/** A refusal names the cursor as other lists call it. */
const namingAfter = (error: unknown): unknown =>
  error instanceof Refused
    ? new Refused(
        { ...error.shown, message: error.shown.message.replace(/^cursor /, 'after ') },
        { cause: error.cause },
      )
    : error

export const eventEndpoints: readonly Endpoint[] = [
  {
    ...endpoint({
      method: 'GET',
      path: '/events',
      credential: 'key',
      document: RestEventsDocument,
      input: z.object({ limit, after: cursor, type: keyText.optional() }),
      variables: ({ limit, after, type }) => ({ first: limit, after: after ?? null, type: type ?? null }),
      // The log goes on: only an empty page has no cursor.
      reply: ({ events }) => ({ body: { events: nodesOf(events), next_cursor: events.pageInfo.endCursor } }),
    }),
    shownAs: namingAfter,
  },
  endpoint({
    method: 'GET',
    path: '/events/:id',
    credential: 'key',
    document: RestFindEventDocument,
    ...BY_ID,
    reply: ({ event }) => ({ body: event }),
  }),
]
