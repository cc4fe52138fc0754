// One kept-alive HTTP connection that sends bytes unchanged, also bytes that no client library would send.
import { connect, type Socket } from 'node:net'

export type Reply = {
  readonly status: number
  /** Names in lower case. A repeated header has its last value. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** `closed`: the connection ended without a complete reply. `silent`: no reply arrived in time. */
export type Answer = Reply | 'closed' | 'silent'

export type Connection = {
  /**
   * Sends one request and waits for its reply. A stream of events is cut off after its head. With `isLast` the sending
   * side is closed after the bytes, as by a client that leaves.
   */
  ask(bytes: Buffer, options: { readonly isHead: boolean; readonly isLast: boolean }): Promise<Answer>
  close(): void
}

const PATIENCE_MS = 20_000

export function createConnection(port: number): Connection {
  let socket: Socket | null = null
  const open = (): Socket => {
    const opened = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    opened.setMaxListeners(0)
    // The waiting request handles the error.
    opened.on('error', () => {})
    return opened
  }
  const drop = (): void => {
    socket?.destroy()
    socket = null
  }
  return {
    ask(bytes, { isHead, isLast }) {
      socket ??= open()
      const used = socket
      return new Promise((resolve) => {
        const chunks: Buffer[] = []
        const end = (answer: Answer, keep: boolean): void => {
          clearTimeout(timer)
          used.off('data', onData)
          used.off('end', onEnd)
          used.off('close', onEnd)
          if (!keep) drop()
          resolve(answer)
        }
        const timer = setTimeout(() => end('silent', false), PATIENCE_MS)
        const read = (isOver: boolean): void => {
          const parsed = parseReply(Buffer.concat(chunks), isHead, isOver)
          if (parsed === 'unfinished') return
          const keeps = parsed.headers.get('connection') !== 'close' && !isStream(parsed) && !isLast && !isOver
          end(parsed, keeps)
        }
        const onData = (chunk: Buffer): void => {
          chunks.push(chunk)
          read(false)
        }
        const onEnd = (): void => {
          read(true)
          end('closed', false)
        }
        used.on('data', onData)
        used.once('end', onEnd)
        used.once('close', onEnd)
        used.write(bytes)
        if (isLast) used.end()
      })
    },
    close: drop,
  }
}

const isStream = ({ headers }: Pick<Reply, 'headers'>): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true

function parseReply(bytes: Buffer, isHead: boolean, isOver: boolean): Reply | 'unfinished' {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return 'unfinished'
  const [line = '', ...fields] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const status = Number(line.split(' ')[1])
  const rest = bytes.subarray(headEnd + 4)
  // Skips an interim reply.
  if (status >= 100 && status < 200 && status !== 101) return parseReply(rest, isHead, isOver)
  const headers = new Map(
    fields.map((field) => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const
    }),
  )
  const reply = { status, headers }
  if (isHead || status === 101 || status === 204 || status === 304 || isStream(reply)) return { ...reply, body: '' }
  if (headers.get('transfer-encoding') === 'chunked') {
    const body = unchunked(rest)
    return body === null ? 'unfinished' : { ...reply, body }
  }
  const length = headers.get('content-length')
  if (length === undefined) return isOver ? { ...reply, body: rest.toString() } : 'unfinished'
  return rest.length < Number(length) ? 'unfinished' : { ...reply, body: rest.subarray(0, Number(length)).toString() }
}

/** Returns null while the last chunk is missing. */
function unchunked(bytes: Buffer): string | null {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return null
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16)
    if (size === 0) return bytes.length < lineEnd + 4 ? null : Buffer.concat(parts).toString()
    if (bytes.length < lineEnd + 4 + size) return null
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 4 + size
  }
}
