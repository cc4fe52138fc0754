// Sends server-sent events to clients.
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

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
