// HTTP in bytes, for requests that no client library sends.
import { connect } from 'node:net'

export type RawReply = {
  readonly status: number
  /** Names in lower case. A repeated header has its last value. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Sends bytes unchanged, and returns the bytes received until the connection closed. */
export function sendRaw(port: number, request: string, encoding: BufferEncoding = 'utf8'): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(request, 'latin1'))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString(encoding)))
    socket.on('error', reject)
  })
}

/** Parses the only reply of a connection; joins a chunked body. */
export async function askRaw(port: number, request: string, encoding?: BufferEncoding): Promise<RawReply> {
  const text = await sendRaw(port, request, encoding)
  const end = text.indexOf('\r\n\r\n')
  const [line = '', ...fields] = text.slice(0, end).split('\r\n')
  const headers = new Map(
    fields.map((field) => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const
    }),
  )
  const body = text.slice(end + 4)
  const isChunked = headers.get('transfer-encoding') === 'chunked'
  return { status: Number(line.split(' ')[1]), headers, body: isChunked ? unchunked(body) : body }
}

function unchunked(body: string): string {
  const [, size = '0', rest = ''] = /^([\da-f]+)\r\n(.*)$/is.exec(body) ?? []
  const length = Number.parseInt(size, 16)
  return length === 0 ? '' : rest.slice(0, length) + unchunked(rest.slice(length + 2))
}
