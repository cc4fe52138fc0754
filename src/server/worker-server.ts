// What a process that is a worker alone answers at the operator's port: whether it runs, and the metrics of its work.
import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import { NO_LIMITS } from '#graphql/limits.ts'
import { createIdentifyOperator } from '#graphql/operator/principal.ts'
import { closeServer, DEFAULT_TIMEOUTS, listen, openServer } from '#server/listening.ts'
import type { Logger } from '#server/log.ts'
import type { Metrics } from '#server/metrics.ts'

type Parts = {
  readonly operatorToken: string
  readonly metrics: Pick<Metrics, 'contentType' | 'text'>
  readonly newId: () => string
  readonly log: Logger
}

/** Replies under way are short. */
const GRACE_MS = 1_000

/** Returns the port, and what stops the server. */
export async function startWorkerServer(
  { operatorToken, metrics, newId, log }: Parts,
  at: { readonly host: string; readonly port: number },
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const identify = createIdentifyOperator(operatorToken, { isValid: () => false }, NO_LIMITS)

  const answer = async ({ method, url, headers, socket }: IncomingMessage): Promise<Reply> => {
    if (method !== 'GET') return { status: 405, text: 'GET only' }
    switch (url) {
      case '/health':
        return { status: 200, text: 'ok' }
      case '/metrics':
        try {
          await identify(headers.authorization ?? null, socket.remoteAddress ?? '')
        } catch {
          return { status: 401, text: 'operator only' }
        }
        return { status: 200, text: await metrics.text(), type: metrics.contentType }
      default:
        return { status: 404, text: 'not found' }
    }
  }

  const listener: RequestListener = (request, response) => {
    void answer(request)
      .catch((): Reply => ({ status: 500, text: 'internal error' }))
      .then(({ status, text, type = 'text/plain; charset=utf-8' }) => {
        response.writeHead(status, {
          'content-type': type,
          'cache-control': 'no-store',
          ...(status === 401 && { 'www-authenticate': 'Bearer' }),
          ...(status === 405 && { allow: 'GET' }),
        })
        response.end(text)
      })
  }
  const messages = { IncomingMessage, ServerResponse }
  const server = openServer({ listener, messages }, { timeouts: DEFAULT_TIMEOUTS, newId, log, upgrades: () => false })
  const port = await listen(server, at)
  return { port, close: () => closeServer(server, GRACE_MS) }
}

type Reply = { readonly status: number; readonly text: string; readonly type?: string }
