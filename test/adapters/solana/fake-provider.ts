// An RPC provider whose answers are functions of the test: JSON-RPC over HTTP, delays, failures and wrong answers.
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
  /** The calls, in order. */
  readonly asked: { readonly method: string; readonly params: Params }[]
  answers: Answers
  close(): Promise<void>
}

/** Starts a provider that closes when the test ends. A call of a method without an answer fails. */
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

/** Returns an answer with a context slot. */
export const inContext = (slot: number, value: unknown): Reply => ({ result: { context: { slot }, value } })

/** Returns a URL without a server. */
export async function deadUrl(): Promise<string> {
  const provider = await startFakeProvider({})
  await provider.close()
  return provider.url
}

/** Returns a clock that moves only by the test. */
export function movableClock(start = Date.UTC(2026, 0, 1)) {
  let at = start
  return {
    now: () => new Date(at),
    advance: (milliseconds: number) => {
      at += milliseconds
    },
  }
}
