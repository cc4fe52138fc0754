// Yoga behind Node's server: its replies, written by us. Yoga's own listener answers an error with its stack trace.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EventStreams } from '#server/event-streams.ts'
import type { ServerContext, Yoga } from '#server/graphql.ts'

/** What answers a request to /graphql. */
export type Answering = { readonly yoga: Yoga; readonly eventStreams: EventStreams }

/** Answers a request whose head was read. Throws where yoga does; nothing is written by then. */
export async function answerWithYoga(
  { yoga, eventStreams }: Answering,
  request: IncomingMessage,
  response: ServerResponse,
  context: ServerContext,
): Promise<void> {
  const reply = await yoga.handleNodeRequestAndResponse(request, response, context)
  response.statusCode = reply.status
  reply.headers.forEach((value, name) => void response.setHeader(name, value))
  if (reply.body !== null && isStream(reply)) await eventStreams.send(reply.body, response)
  else response.end(await reply.text())
}

const isStream = ({ headers }: Response): boolean =>
  /^(?:text\/event-stream|multipart\/)/.test(headers.get('content-type') ?? '')
