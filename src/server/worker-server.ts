// The server of a process that is a worker alone: the metrics of its work, at the operator's port.
import { NO_LIMITS } from '#graphql/limits.ts'
import { createIdentifyOperator } from '#graphql/operator/principal.ts'
import { createMetricsApp, type MetricsAppParts } from '#server/base-app.ts'
import { closeServer, DEFAULT_TIMEOUTS, listen, openServer } from '#server/listening.ts'

export type WorkerServerParts = Omit<MetricsAppParts, 'identify' | 'report' | 'settings'> & {
  readonly settings: { readonly operatorToken: string; readonly trustProxy: boolean }
}

/** Replies under way are short. */
const GRACE_MS = 1_000

/** Returns the port, and what stops the server. */
export async function startWorkerServer(
  parts: WorkerServerParts,
  at: { readonly host: string; readonly port: number },
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const { log, newId } = parts
  const { operatorToken, trustProxy } = parts.settings
  const { writeTimeout, ...timeouts } = DEFAULT_TIMEOUTS
  const app = createMetricsApp({
    ...parts,
    identify: createIdentifyOperator(operatorToken, { isValid: () => false }, NO_LIMITS),
    report: (error, requestId) => log.error({ err: error, requestId }, 'unexpected failure'),
    settings: { trustProxy, writeTimeout },
  })
  const server = openServer(app, { timeouts, newId, log, upgrades: () => false })
  const port = await listen(server, at)
  return { port, close: () => closeServer(server, GRACE_MS) }
}
