// Yoga behind Node's server. This file writes its replies, because yoga's own listener answers an error with its stack
// trace.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '#graphql/context.ts'
import type { AnyPrincipal } from '#graphql/principal.ts'
import type { EventStreams } from '#server/event-streams.ts'
import type { ServerContext, Yoga } from '#server/graphql.ts'

/** Answers a request to a GraphQL path. */
export type Answering<P extends AnyPrincipal, C extends Caller<P>> = {
  readonly yoga: Yoga<P, C>
  readonly eventStreams: EventStreams
}

/** Answers a request whose head was read. Throws where yoga throws, before anything is written. */
export async function answerWithYoga<P extends AnyPrincipal, C extends Caller<P>>(
  { yoga, eventStreams }: Answering<P, C>,
  request: IncomingMessage,
  response: ServerResponse,
  context: ServerContext<P>,
): Promise<void> {
  const reply = await yoga.handleNodeRequestAndResponse(request, response, context)
  response.statusCode = reply.status
  // Node decides whether the connection stays open, by the request. Yoga gives every event stream `keep-alive`.
  reply.headers.forEach((value, name) => {
    if (name.toLowerCase() !== 'connection') response.setHeader(name, value)
  })
  if (reply.body !== null && isStream(reply)) await eventStreams.send(reply.body, response)
  else response.end(await reply.text())
}

const isStream = ({ headers }: Response): boolean =>
  /^(?:text\/event-stream|multipart\/)/.test(headers.get('content-type') ?? '')
