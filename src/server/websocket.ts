// /graphql over a websocket, for live status: graphql-transport-ws, with the same documents, limits and errors as HTTP.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ExecutionArgs, GraphQLError } from 'graphql'
import { type Context as Connection, handleProtocols, type SubscribePayload } from 'graphql-ws'
import { useServer } from 'graphql-ws/use/ws'
import { WebSocketServer } from 'ws'
import { ServiceError } from '#core/errors.ts'
import type { Caller, Edge } from '#graphql/context.ts'
import { clientAddress } from '#server/address.ts'
import { GRAPHQL_PATH, type Yoga } from '#server/graphql.ts'
import { refuseConnection } from '#server/refusals.ts'

const MAX_PAYLOAD_BYTES = 64 * 1024
const KEEP_ALIVE_MS = 12_000
const INIT_TIMEOUT_MS = 5_000

export type WebSocketSettings = {
  readonly maxConnections: number
  readonly maxConnectionsPerAddress: number
  readonly maxOperationsPerConnection: number
}

export const DEFAULT_WEBSOCKET_LIMITS: WebSocketSettings = {
  maxConnections: 10_000,
  maxConnectionsPerAddress: 500,
  maxOperationsPerConnection: 50,
}

type WebSocketParts = {
  readonly server: Server
  readonly yoga: Yoga
  readonly edge: Edge
  readonly settings: WebSocketSettings
  readonly trustProxy: boolean
  readonly newId: () => string
}

/** What a connection has proved, found at connection_init and asked again at each operation. */
type Proof = { authorization: string | null }

export type WebSockets = { count(): number; close(): Promise<void> }

export function attachWebSockets(parts: WebSocketParts): WebSockets {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_PAYLOAD_BYTES, handleProtocols })
  const served = useServer<Record<string, unknown>, Proof>(
    {
      connectionInitWaitTimeout: INIT_TIMEOUT_MS,
      onConnect: (connection) => admit(parts, connection),
      onSubscribe: (connection, _id, payload) => prepare(parts, connection, payload),
      execute: (args) => enveloped(args).execute(args),
      subscribe: (args) => enveloped(args).subscribe(args),
    },
    sockets,
    KEEP_ALIVE_MS,
  )
  acceptUpgrades(parts, sockets)
  return {
    count: () => sockets.clients.size,
    async close() {
      await served.dispose()
      for (const socket of sockets.clients) socket.terminate()
      await new Promise((resolve) => sockets.close(resolve))
    },
  }
}

/** The one upgrade that is taken up. Any other, such as the h2c of many HTTP clients, is ignored: RFC 9110, 7.8. */
export const offersWebSocket = (request: IncomingMessage): boolean =>
  request.headers.upgrade?.toLowerCase() === 'websocket' && pathOf(request) === GRAPHQL_PATH

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? ''

/** Lets such a request become a websocket when there is room; any origin may, as with CORS. */
function acceptUpgrades({ server, settings, trustProxy, newId }: WebSocketParts, sockets: WebSocketServer): void {
  const perAddress = new Map<string, number>()
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const address = clientAddress(request, trustProxy)
    const own = perAddress.get(address) ?? 0
    socket.on('error', () => socket.destroy())
    if (sockets.clients.size >= settings.maxConnections || own >= settings.maxConnectionsPerAddress) {
      return refuseConnection(socket, '503 Service Unavailable', 'too many connections', newId())
    }
    perAddress.set(address, own + 1)
    socket.once('close', () => {
      const left = (perAddress.get(address) ?? 1) - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
    })
    sockets.handleUpgrade(request, socket, head, (websocket) => sockets.emit('connection', websocket, request))
  })
}

type Connected = Connection<Record<string, unknown>, { request: IncomingMessage } & Partial<Proof>>

/** connectionParams may carry what the Authorization header would; without it the connection is anonymous. */
async function admit({ edge, trustProxy, newId }: WebSocketParts, { connectionParams, extra }: Connected) {
  const { authorization = connectionParams?.Authorization } = connectionParams ?? {}
  extra.authorization = typeof authorization === 'string' ? authorization : null
  try {
    await edge.identify(extra.authorization, clientAddress(extra.request, trustProxy))
    return true
  } catch (error) {
    edge.errors.show(error, newId())
    // The connection is closed with 4403 Forbidden.
    return false
  }
}

/** What yoga made of one operation, carried to its execution as the root value, which no resolver reads. */
class Enveloped {
  readonly execute: (args: ExecutionArgs) => ReturnType<ReturnType<Yoga['getEnveloped']>['execute']>
  readonly subscribe: (args: ExecutionArgs) => ReturnType<ReturnType<Yoga['getEnveloped']>['subscribe']>

  constructor({ execute, subscribe }: ReturnType<Yoga['getEnveloped']>) {
    this.execute = execute
    this.subscribe = subscribe
  }
}

function enveloped({ rootValue }: ExecutionArgs): Enveloped {
  if (rootValue instanceof Enveloped) return rootValue
  throw new Error('an operation reached its execution without its envelope')
}

async function prepare(
  { yoga, edge, settings, trustProxy, newId }: WebSocketParts,
  { extra, subscriptions }: Connected,
  { query, variables, operationName }: SubscribePayload,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const requestId = newId()
  try {
    // The operation itself already has its place among them.
    if (Object.keys(subscriptions).length > settings.maxOperationsPerConnection) throw new ServiceError('rate_limited')
    const authorization = extra.authorization ?? null
    const address = clientAddress(extra.request, trustProxy)
    const caller: Caller = {
      principal: await edge.identify(authorization, address),
      authorization,
      address,
      requestId,
    }
    const envelope = yoga.getEnveloped({ caller })
    const document = envelope.parse(query)
    const errors = envelope.validate(envelope.schema, document)
    if (errors.length > 0) return errors.map((error: unknown) => edge.errors.showGraphQL(error, requestId))
    return {
      schema: envelope.schema,
      document,
      variableValues: variables,
      operationName,
      contextValue: await envelope.contextFactory(),
      rootValue: new Enveloped(envelope),
    }
  } catch (error) {
    return [edge.errors.showGraphQL(error, requestId)]
  }
}
