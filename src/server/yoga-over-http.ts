// Yoga behind Node's server: its replies, written by us. Yoga's own listener answers an error with its stack trace.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ServerContext, Yoga } from '#server/graphql.ts'

/** Answers a request whose head was read. Throws where yoga does; nothing is written by then. */
export async function answerWithYoga(
  yoga: Yoga,
  request: IncomingMessage,
  response: ServerResponse,
  context: ServerContext,
): Promise<void> {
  const reply = await yoga.handleNodeRequestAndResponse(request, response, context)
  response.statusCode = reply.status
  reply.headers.forEach((value, name) => void response.setHeader(name, value))
  if (reply.body !== null && isStream(reply)) await sendStream(reply.body, response)
  else response.end(await reply.text())
}

const isStream = ({ headers }: Response): boolean =>
  /^(?:text\/event-stream|multipart\/)/.test(headers.get('content-type') ?? '')

/**
 * Writes a stream as fast as its client reads. What is not read stays unasked for at its source, but for one event and
 * the buffers of the connection. A connection that is gone ends the stream.
 */
async function sendStream(chunks: AsyncIterable<Uint8Array>, response: ServerResponse): Promise<void> {
  try {
    await pipeline(Readable.from(chunks, { objectMode: false }), response)
  } catch (error) {
    if (!response.destroyed) throw error
  }
}
