// Follows the event log: every event since a cursor, then each new one, over any number of connections.
import type { Call } from './call.ts'
import { SolanaPaymentsError } from './errors.ts'
import { parseExact } from './exact-json.ts'
import type { Event } from './generated/api.ts'
import { pause } from './pause.ts'

export type FollowOptions = {
  /** The cursor of the last event that you have handled. Events from now on are shown when it is left out. */
  readonly after?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Called when the connection is there, and with the error when it is lost. The client connects again by itself. */
  readonly onConnection?: ((error: unknown) => void) | undefined
}

/** An event, and its place in the log. Store the cursor with what you have done for the event. */
export type LoggedEvent = { readonly cursor: string; readonly event: Event }

const QUERY = `subscription ($after: String) {
  eventAdded(after: $after) {
    cursor
    event {
      id type timestamp api_version: apiVersion livemode
      account { id name is_seller: isSeller external_id: externalId }
      data
    }
  }
}`
const NEWEST = '{ events(last: 1) { pageInfo { endCursor } } }'

const CONNECT_AGAIN_MS = 1_000
const LONGEST_WAIT_MS = 10_000
/** The service sends something at least every 12 seconds. */
const SILENT_MS = 40_000

/** Yields events in the order of the log. Throws when the service refuses; a lost connection is opened again. */
export async function* followEvents(call: Call, options: FollowOptions): AsyncGenerator<LoggedEvent, void, undefined> {
  const { signal, onConnection } = options
  let after = options.after ?? (await newestCursor(call, signal))
  for (let failures = 0; ; failures++) {
    try {
      const stream = await call.subscription(QUERY, { after }, { signal, retries: 0 })
      onConnection?.(null)
      failures = 0
      for await (const data of eventsOf(stream)) {
        const added = addedIn(data)
        yield added
        after = added.cursor
      }
      throw new SolanaPaymentsError('the service ended the stream', { code: 'connection_failed' })
    } catch (error) {
      signal?.throwIfAborted()
      if (!isTemporary(error)) throw error
      onConnection?.(error)
    }
    await pause(Math.min(CONNECT_AGAIN_MS * 2 ** failures, LONGEST_WAIT_MS), signal)
  }
}

type Newest = { readonly events: { readonly pageInfo: { readonly endCursor: string | null } } | null }

async function newestCursor(call: Call, signal: AbortSignal | undefined): Promise<string | undefined> {
  const { events } = await call.graphql<Newest>(NEWEST, {}, { signal })
  return events?.pageInfo.endCursor ?? undefined
}

const TEMPORARY: ReadonlySet<string> = new Set([
  'rate_limited',
  'database_unavailable',
  'internal_error',
  'chain_unavailable',
])
/** A connection that breaks while it is read throws an error of the runtime. */
const isTemporary = (error: unknown): boolean =>
  !(error instanceof SolanaPaymentsError) || error.status === 0 || error.status >= 500 || TEMPORARY.has(error.code)

type Pushed = {
  readonly data?: { readonly eventAdded: LoggedEvent | null } | null
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[]
}

function addedIn(text: string): LoggedEvent {
  const { data, errors }: Pushed = parseExact(text)
  if (data?.eventAdded) return data.eventAdded
  const [{ message = 'the stream ended', extensions: { code = 'internal_error' } = {} } = {}] = errors ?? []
  throw new SolanaPaymentsError(message, { code, status: 200 })
}

/** Yields the data of each server-sent event. Ends with the stream, or when it is silent. */
async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await unlessSilent(reader.read())
      if (done) return
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, data] = /^data: ?(.+)$/m.exec(block) ?? []
        if (data !== undefined) yield data
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

async function unlessSilent<T>(read: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_resolve, reject) => {
    const lost = new SolanaPaymentsError('the connection is silent', { code: 'connection_failed' })
    timer = setTimeout(() => reject(lost), SILENT_MS)
  })
  return await Promise.race([read, silence]).finally(() => clearTimeout(timer))
}
