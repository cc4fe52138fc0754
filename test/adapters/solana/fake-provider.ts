// An RPC provider made of lambdas: answers JSON-RPC over HTTP as told, or hangs, fails and lies as told.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

type Params = readonly unknown[]
type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | { readonly http: number; readonly headers?: Record<string, string>; readonly body?: string }
  | 'hang'
export type Answers = Record<string, Reply | ((params: Params) => Reply)>

export type FakeProvider = {
  readonly url: string
  /** What it was asked, in order. */
  readonly asked: { readonly method: string; readonly params: Params }[]
  answers: Answers
  close(): Promise<void>
}

/** Closed by itself when the test ends. A method without an answer fails the call loudly. */
export async function startFakeProvider(answers: Answers, path = '/'): Promise<FakeProvider> {
  const asked: FakeProvider['asked'] = []
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse(await text(request))
    asked.push({ method, params })
    const answer = provider.answers[method] ?? { error: { code: -32601, message: `${method} is not expected here` } }
    reply(response, id, typeof answer === 'function' ? answer(params) : answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const provider: FakeProvider = {
    url: `http://127.0.0.1:${port}${path}`,
    asked,
    answers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  onTestFinished(() => provider.close())
  return provider
}

function reply(response: ServerResponse, id: unknown, answer: Reply): void {
  if (answer === 'hang') return
  if ('http' in answer) {
    response.writeHead(answer.http, answer.headers).end(answer.body ?? '')
    return
  }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
}

/** Answers as context-bearing methods give them. */
export const inContext = (slot: number, value: unknown): Reply => ({ result: { context: { slot }, value } })

/** A URL where nobody listens. */
export async function deadUrl(): Promise<string> {
  const provider = await startFakeProvider({})
  await provider.close()
  return provider.url
}

/** A clock that moves only when told. */
export function movableClock(start = Date.UTC(2026, 0, 1)) {
  let at = start
  return {
    now: () => new Date(at),
    advance: (milliseconds: number) => {
      at += milliseconds
    },
  }
}
