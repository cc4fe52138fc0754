// Requests that succeed and their replies, one a line, in the file that EXCHANGES names: `npm run prism` replays them.
import { appendFileSync } from 'node:fs'

export type Exchange = {
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [string, string])[]
  /** In base64. */
  readonly body: string | null
  readonly status: number
  readonly replyHeaders: readonly (readonly [string, string])[]
  readonly reply: string
}

const file = process.env.EXCHANGES

export async function keepExchange(path: string, init: RequestInit, response: Response, reply: string): Promise<void> {
  if (file === undefined || !response.ok) return
  const { method = 'GET', headers, body } = init
  const bytes = body == null ? null : Buffer.from(await new Response(body).arrayBuffer())
  const exchange: Exchange = {
    method,
    path,
    headers: [...new Headers(headers)],
    body: bytes?.toString('base64') ?? null,
    status: response.status,
    replyHeaders: [...response.headers],
    reply,
  }
  appendFileSync(file, `${JSON.stringify(exchange)}\n`)
}
