// Clients for live status like those of a business or a widget: a websocket, and server-sent events.
import type { FormattedExecutionResult } from 'graphql'
import { type Client, createClient } from 'graphql-ws'
import { WebSocket } from 'ws'

export const webSocketClient = (
  url: string,
  connectionParams?: Record<string, unknown>,
  webSocketImpl: unknown = WebSocket,
): Client =>
  createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl,
    retryAttempts: 0,
    lazy: true,
    ...(connectionParams && { connectionParams }),
  })

export type LiveResult = FormattedExecutionResult<Record<string, unknown>, unknown>

/** Yields results one at a time; `next` fails when the stream has ended. */
export type Results = { next(): Promise<LiveResult>; ended(): Promise<void>; stop(): Promise<void> }

export function subscribe(client: Client, query: string, variables: Record<string, unknown> = {}): Results {
  const iterator = client.iterate({ query, variables })
  return {
    async next() {
      const { done, value } = await iterator.next()
      if (done === true) throw new Error('the stream ended')
      return value
    },
    async ended() {
      const { done } = await iterator.next()
      if (done !== true) throw new Error('the stream continues')
    },
    async stop() {
      await iterator.return?.()
    },
  }
}

/** Yields the data of each `next` event; ends with the response. */
export async function* serverSentEvents(response: Response): AsyncGenerator<LiveResult> {
  let rest = ''
  for await (const chunk of response.body ?? []) {
    rest += new TextDecoder().decode(chunk)
    const events = rest.split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const data = /^event: next\ndata: (.*)$/m.exec(event)?.[1]
      if (data !== undefined) yield JSON.parse(data)
    }
  }
}
