// One listening server: how long a client may take, what Node would answer by itself, and how it ends.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Logger } from '#server/log.ts'
import { oneAfterTheOther } from '#server/pipelining.ts'
import { refuseBroken, refuseTunnel } from '#server/refusals.ts'

/** How long a client may take, in milliseconds: one that dribbles is cut off, not waited for. */
export type Patience = {
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly keepAliveTimeout: number
  readonly connectionsCheckingInterval: number
  /** How long it may take no byte of a reply that waits for it. */
  readonly writeTimeout: number
}

export const DEFAULT_PATIENCE: Patience = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the minute after which proxies let an idle connection go, so that it is they who close it.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
  writeTimeout: 20_000,
}

export type ServerOptions = {
  readonly patience: Omit<Patience, 'writeTimeout'>
  readonly newId: () => string
  readonly log: Logger
  /** Whether an offer to upgrade is taken up; any other is a request like the rest. */
  readonly upgrades: (request: IncomingMessage) => boolean
}

/** Returns a server that does not listen yet. */
export function openServer(listener: RequestListener, { patience, newId, log, upgrades }: ServerOptions): Server {
  const handler = oneAfterTheOther(listener)
  const server = createServer(
    {
      ...patience,
      maxHeaderSize: 16 * 1024,
      shouldUpgradeCallback: upgrades,
      // Looked at by the application, which has an answer for it; Node's own is empty.
      requireHostHeader: false,
    },
    handler,
  )
  server.maxHeadersCount = 100
  server.on('clientError', refuseBroken(newId, log))
  server.on('checkExpectation', handler)
  server.on('connect', refuseTunnel(newId, log))
  return server
}

/** Returns the port, which the system chooses where `port` is 0. */
export function listen(server: Server, { port, host }: { port: number; host: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

const SWEEP_MS = 20

/** Stops listening. Resolves when replies under way are out; what is left after `graceMs` is cut. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A kept-alive connection falls idle when its reply is out, and nothing but this would end it.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}
