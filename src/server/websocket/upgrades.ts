// Turns upgrade requests into connections, within the limits.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { handleProtocols } from 'graphql-ws'
import { WebSocketServer } from 'ws'
import { doneInSteps } from '#lib/steps.ts'
import { clientAddress } from '#server/address.ts'
import { requestIdOf } from '#server/requests.ts'
import { type Client, Connection, type Host } from '#server/websocket/connection.ts'
import {
  GOING_AWAY,
  MALFORMED,
  problemOf,
  type Refusal,
  refuseHandshake,
  TOO_MANY_CONNECTIONS,
  TOO_MANY_MESSAGES,
} from '#server/websocket/handshake.ts'
import type { WebSocketLimits } from '#server/websocket/limits.ts'
import { Usage } from '#server/websocket/usage.ts'
import { Addresses } from './budget.ts'

const optionsOf = ({ maxMessageBytes, closeTimeoutMs }: WebSocketLimits) => ({
  noServer: true,
  handleProtocols,
  maxPayload: maxMessageBytes,
  closeTimeout: closeTimeoutMs,
  // Other clients are served between two messages of a client that sends many.
  allowSynchronousEvents: false,
  // A pong is counted and limited like every other message.
  autoPong: false,
  // A message of 64 KB arrives in some fifty chunks. Without these limits a client could send a byte in each.
  maxFragments: 1_024,
  maxBufferedChunks: 1_024,
})

/** Handshakes that are refused in one turn of the event loop: one client may send thousands at once. */
export const REFUSED_IN_A_TURN = 50

/** A client whose upgrade is accepted, and whether it has proved a key already. */
type Accepted = { readonly upgrade: Client; readonly usage: Usage; readonly hasKey: boolean }

export class Upgrades {
  readonly #host: Host
  readonly #trustProxy: boolean
  readonly #sockets: WebSocketServer
  readonly #addresses: Addresses
  readonly #connections = new Set<Connection>()
  /** Connections whose client has proved no key. */
  readonly #withoutKey = new Set<Connection>()
  readonly #sweep: NodeJS.Timeout
  #isClosing = false

  constructor(host: Host, trustProxy: boolean) {
    this.#host = host
    this.#trustProxy = trustProxy
    this.#sockets = new WebSocketServer(optionsOf(host.limits))
    this.#sockets.on('wsClientError', (_error, socket, request) => this.#refuse(request, socket, MALFORMED))
    this.#addresses = new Addresses(host.limits)
    const sweep = () => this.#addresses.forgetIdle(host.now())
    this.#sweep = setInterval(sweep, host.limits.addressAllowance.windowMs).unref()
  }

  get count(): number {
    return this.#sockets.clients.size
  }

  /** Bytes that wait for clients to read them. */
  get bufferedBytes(): number {
    let bytes = 0
    for (const connection of this.#connections) bytes += connection.bufferedBytes
    return bytes
  }

  listen(server: Server): void {
    server.on('upgrade', (request, socket, head) => void this.#accept(request, socket, head))
  }

  /** Ends every connection. Resolves when all are closed, after `closeTimeoutMs` at most. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#sweep)
    const closed = new Promise((resolve) => this.#sockets.close(resolve))
    for (const connection of this.#connections) connection.end('going_away')
    await closed
  }

  /** Never rejects. */
  async #accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const address = clientAddress(request, this.#trustProxy)
    const usage = new Usage(this.#addresses, address, this.#host.now())
    const full = this.#noRoom(usage)
    const wrong = this.#isClosing ? GOING_AWAY : problemOf(request)
    if (wrong !== null) return this.#refuse(request, socket, wrong)
    const upgrade = { sent: this.#host.sentWith(request), address }
    // The key of a client is looked up before the requests of others refuse it.
    const accountId = full === null ? null : await this.#businessOf(upgrade)
    if (socket.destroyed) return
    const refusal = accountId === null ? full : this.#noRoomForKey(usage, accountId)
    if (refusal !== null) return this.#refuse(request, socket, refusal)
    usage.open()
    socket.once('close', () => usage.close())
    this.#upgrade(request, socket, head, { upgrade, usage, hasKey: accountId !== null })
  }

  /** Returns the business whose key the upgrade proves, or null. A wrong key counts like every other wrong credential. */
  async #businessOf(upgrade: Client): Promise<string | null> {
    if (upgrade.sent === null || this.#isFull) return null
    const admitted = await this.#host.admit({}, upgrade)
    return typeof admitted === 'string' ? null : admitted.accountId
  }

  get #isFull(): boolean {
    return this.count >= this.#host.limits.maxConnections
  }

  /** Counts the handshake. Returns why a client without a key cannot be accepted, or null. */
  #noRoom(usage: Usage): Refusal | null {
    const { limits, now } = this.#host
    if (!usage.spend(0, now())) return TOO_MANY_MESSAGES
    const isCrowded = this.#withoutKey.size >= limits.maxConnectionsWithoutKey
    const hasAddressRoom = usage.use.sockets < limits.maxConnectionsPerAddress
    return this.#isFull || isCrowded || !hasAddressRoom ? TOO_MANY_CONNECTIONS : null
  }

  /** Judges after the pause of the lookup, in which others took places or the service began to stop. */
  #noRoomForKey(usage: Usage, accountId: string): Refusal | null {
    const { limits, now } = this.#host
    if (this.#isClosing) return GOING_AWAY
    if (this.#isFull) return TOO_MANY_CONNECTIONS
    if (!usage.moveToBusiness(accountId, limits.maxConnectionsPerAddress, now())) return TOO_MANY_CONNECTIONS
    return usage.spend(0, now()) ? null : TOO_MANY_MESSAGES
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, { upgrade, usage, hasKey }: Accepted): void {
    this.#sockets.handleUpgrade(request, socket, head, (websocket) => {
      const forget = () => this.#withoutKey.delete(connection)
      const connection = new Connection(websocket, upgrade, usage, this.#host, forget)
      this.#connections.add(connection)
      if (!hasKey) this.#withoutKey.add(connection)
      websocket.once('close', () => {
        this.#connections.delete(connection)
        forget()
      })
    })
  }

  readonly #refuse = doneInSteps(REFUSED_IN_A_TURN, (request: IncomingMessage, socket: Duplex, refusal: Refusal) => {
    const requestId = requestIdOf(request, this.#host.newId)
    this.#host.reports.refused(refusal, clientAddress(request, this.#trustProxy), requestId)
    if (!socket.destroyed) refuseHandshake(socket, refusal, requestId)
  })
}
