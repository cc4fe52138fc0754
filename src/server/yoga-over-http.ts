// Yoga behind Node's server. This file writes its replies, because yoga's own listener answers an error with its stack
// trace.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { YogaServerInstance } from 'graphql-yoga'
import type { Caller } from '#graphql/caller.ts'
import type { AnyPrincipal } from '#graphql/principal.ts'
import { nextTurn } from '#lib/steps.ts'
import type { ServerContext } from './admitted.ts'

export type Yoga<P extends AnyPrincipal, C extends Caller<P>> = YogaServerInstance<ServerContext<P>, C>

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
  else await sendText(await reply.text(), response)
}

const isStream = ({ headers }: Response): boolean =>
  /^(?:text\/event-stream|multipart\/)/.test(headers.get('content-type') ?? '')

/** Bytes that are written in one turn of the event loop: the kernel takes its time to copy them. */
const PIECE = 65_536

async function sendText(text: string, response: ServerResponse): Promise<void> {
  // Node sends a text together with the head.
  if (text.length <= PIECE) return void response.end(text)
  let rest = Buffer.from(text)
  response.setHeader('Content-Length', rest.length)
  for (; rest.length > PIECE && !response.destroyed; rest = rest.subarray(PIECE)) {
    response.write(rest.subarray(0, PIECE))
    await nextTurn()
  }
  response.end(rest)
}

// Sends server-sent events to clients.

/** For proxies: nginx passes each event on when it comes, and none compresses the stream. No cache stores it. */
const STREAM_HEADERS = { 'X-Accel-Buffering': 'no', 'Cache-Control': 'no-cache, no-store, no-transform' } as const

export class EventStreams {
  readonly #open = new Set<ServerResponse>()
  #isCut = false

  /**
   * Writes a stream as fast as its client reads. Takes one event at a time from the source, so that only this event and
   * the buffers of the connection wait in memory. A closed connection ends the stream. Sends the head at once.
   */
  async send(chunks: AsyncIterable<Uint8Array>, response: ServerResponse): Promise<void> {
    if (this.#isCut) return void response.destroy()
    this.#open.add(response)
    for (const [name, value] of Object.entries(STREAM_HEADERS)) response.setHeader(name, value)
    response.flushHeaders()
    try {
      await pipeline(Readable.from(chunks, { objectMode: false }), response)
    } catch (error) {
      if (!response.destroyed) throw error
    } finally {
      this.#open.delete(response)
    }
  }

  /**
   * Ends every connection after the events already written, without a `complete` event and without the end of the body.
   * Clients treat this as a lost connection and reconnect; `complete` would end the subscription.
   */
  cut(): void {
    this.#isCut = true
    for (const response of this.#open) {
      if (response.socket === null) response.destroy()
      else response.socket.destroySoon()
    }
  }
}
