// One websocket that speaks graphql-transport-ws: https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md
import type { IncomingMessage } from 'node:http'
import type { GraphQLError } from 'graphql'
import {
  type CompleteMessage,
  type ConnectionInitMessage,
  type Message,
  MessageType,
  type SubscribeMessage,
} from 'graphql-ws'
import type { RawData, WebSocket } from 'ws'
import { ServiceError } from '#core/errors.ts'
import type { Sent } from '#graphql/principal.ts'
import { Budget } from '#server/websocket/budget.ts'
import type { WebSocketLimits } from '#server/websocket/limits.ts'
import { Operation, type Preparation, type Replies } from '#server/websocket/operation.ts'
import type { Reports } from '#server/websocket/reports.ts'
import type { Usage } from '#server/websocket/usage.ts'
import { type Outgoing, readMessage, startHeartbeat } from './protocol.ts'
import { ENDINGS, type EndingReason } from './reports.ts'

/** What a client sends to prove itself, and its address. */
export type Client = { readonly sent: Sent; readonly address: string }

/** A client that is admitted, and the business whose key it has proved; null for none. */
export type AdmittedClient = Client & { readonly accountId: string | null }

/** The operation of a connection, as its preparation sees it. */
export type Asking = {
  /** Aborts when the operation is over. */
  readonly signal: AbortSignal
  /** Names the holder of a credential that the operation has proved. */
  onProof(holder: string): void
}

/** The dependencies that all connections share. */
export type Host = {
  readonly limits: WebSocketLimits
  /** Returns milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly newId: () => string
  /** Returns what an upgrade request was sent with. */
  sentWith(upgrade: IncomingMessage): Sent
  /**
   * Returns the client of an upgrade request and its connection_init, or why the connection must end. Never rejects.
   */
  admit(params: Record<string, unknown>, upgrade: Client): Promise<AdmittedClient | EndingReason>
  /** Never rejects. */
  prepare(client: AdmittedClient, payload: SubscribeMessage['payload'], asking: Asking): Promise<Preparation>
  /** Returns the public form of an error. */
  show(error: unknown): GraphQLError
  readonly reports: Pick<Reports, 'refused' | 'ended'>
}

/** A second is enough for one of the operations to end. */
const tooMany = () => new ServiceError('rate_limited', { retry_after_seconds: 1 })

export class Connection {
  readonly #socket: WebSocket
  readonly #host: Host
  readonly #upgrade: Client
  readonly #usage: Usage
  readonly #onKey: () => void
  readonly #budget: Budget
  /** All operations that run, also when the client uses their id again. */
  readonly #running = new Set<Operation>()
  readonly #byId = new Map<string, Operation>()
  readonly #stopTimers: () => void
  /** Ends a connection without a key that runs no operation. */
  #idleTimer: NodeJS.Timeout | undefined
  #isInitialising = false
  #client: AdmittedClient | null = null
  #messagesBeforeAck = 0
  #isOver = false

  /** Calls `onKey` when the client proves a key. */
  constructor(socket: WebSocket, upgrade: Client, usage: Usage, host: Host, onKey: () => void) {
    this.#onKey = onKey
    this.#socket = socket
    this.#host = host
    this.#upgrade = upgrade
    this.#usage = usage
    this.#budget = new Budget(host.limits.connectionAllowance, host.now())
    this.#stopTimers = this.#startTimers()
    this.#listen()
    usage.attach(this)
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount
  }

  /** Whether its client has proved a key. */
  get hasKey(): boolean {
    return this.#client !== null && this.#client.accountId !== null
  }

  /** Ends the connection and its operations. */
  end(reason: EndingReason, cause?: unknown): void {
    if (this.#isOver || this.#socket.readyState !== this.#socket.OPEN) return
    this.#host.reports.ended(reason, this.#upgrade.address, cause)
    const ending = ENDINGS[reason]
    if (ending === 'cut off') this.#socket.terminate()
    else this.#socket.close(ending.code, ending.reason)
    // Nothing more is read from a client that floods the service while the close frame is sent.
    if (reason === 'too_many_messages') this.#socket.pause()
    this.#release()
  }

  #startTimers(): () => void {
    const { limits, newId } = this.#host
    const initTimer = setTimeout(() => {
      if (this.#client === null) this.end('init_timeout')
    }, limits.initTimeoutMs)
    const onDead = () => this.end('no_heartbeat')
    const stopHeartbeat = startHeartbeat(this.#socket, { everyMs: limits.heartbeatMs, newNonce: newId, onDead })
    return () => {
      clearTimeout(initTimer)
      stopHeartbeat()
    }
  }

  #listen(): void {
    this.#socket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    this.#socket.on('ping', (data) => {
      // RFC 6455, 5.5.3: a pong repeats the data of the ping, at most 125 bytes.
      if (this.#spend(data.length) && this.#hasRoomToSend()) this.#socket.pong(data)
    })
    this.#socket.on('pong', (data) => this.#spend(data.length))
    this.#socket.on('error', (cause) => this.#break(cause))
    this.#socket.once('close', () => this.#release())
  }

  /** ws is already closing the connection. */
  #break(cause: unknown): void {
    if (!this.#isOver) this.#host.reports.ended('broken_frame', this.#upgrade.address, cause)
    this.#release()
  }

  #release(): void {
    this.#isOver = true
    this.#stopTimers()
    clearTimeout(this.#idleTimer)
    this.#usage.detach()
    this.#byId.clear()
    for (const operation of this.#running) operation.end()
  }

  #receive(data: RawData, isBinary: boolean): void {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.alloc(0)
    // A message before connection_ack can hold a key. There are few of them, and none is refused because of the address.
    if (!this.#spend(bytes.length, this.#client === null)) return
    const message = isBinary ? 'binary_message' : readMessage(bytes)
    if (typeof message === 'string') this.end(message)
    else if (this.#isTooEarly()) this.end('too_much_before_ack')
    else this.#handle(message)
  }

  #isTooEarly(): boolean {
    return this.#client === null && ++this.#messagesBeforeAck > this.#host.limits.maxMessagesBeforeAck
  }

  /** Counts a message. Returns false when it must not be handled. */
  #spend(bytes: number, mayProve = false): boolean {
    const now = this.#host.now()
    const isWithinOwn = this.#budget.spend(bytes, now)
    const isWithinAll = this.#usage.spend(bytes, now)
    const isWithin = isWithinOwn && (isWithinAll || mayProve)
    if (!isWithin) this.#endFlood()
    return isWithin && !this.#isOver
  }

  /** A client that continues to send after the close frame is cut off. */
  #endFlood(): void {
    if (!this.#isOver) this.end('too_many_messages')
    else if (!this.#socket.isPaused) this.#socket.terminate()
  }

  #handle(message: Message): void {
    if (message.type === MessageType.ConnectionInit) void this.#initialise(message)
    else if (message.type === MessageType.Ping) void this.#send({ type: MessageType.Pong })
    else if (message.type === MessageType.Subscribe) this.#subscribe(message)
    else if (message.type === MessageType.Complete) this.#complete(message)
    else if (message.type !== MessageType.Pong) this.end('invalid_message')
  }

  async #initialise({ payload }: ConnectionInitMessage): Promise<void> {
    if (this.#isInitialising) return void this.end('second_init')
    this.#isInitialising = true
    const admitted = await this.#host.admit(payload ?? {}, this.#upgrade)
    if (typeof admitted === 'string') return void this.end(admitted)
    this.#client = admitted
    if (admitted.accountId !== null) this.#proveKey(admitted.accountId)
    this.#watchIdle()
    await this.#send({ type: MessageType.ConnectionAck })
  }

  #proveKey(accountId: string): void {
    const now = this.#host.now()
    const isMoved = this.#usage.moveToBusiness(accountId, this.#host.limits.maxConnectionsPerAddress, now)
    if (!isMoved) this.#usage.countMessagesFor(accountId, now)
    this.#onKey()
  }

  #subscribe({ id, payload }: SubscribeMessage): void {
    const client = this.#client
    if (client === null) this.end('not_acknowledged')
    else if (this.#byId.has(id)) this.end('id_in_use')
    else if (this.#hasRoomToRun()) this.#run(id, client, payload)
    else void this.#send({ type: MessageType.Error, id, payload: [this.#host.show(tooMany())] })
  }

  #run(id: string, client: AdmittedClient, payload: SubscribeMessage['payload']): void {
    const operation = new Operation()
    clearTimeout(this.#idleTimer)
    this.#running.add(operation)
    this.#byId.set(id, operation)
    const { use } = this.#usage
    use.preparing++
    const onProof = (holder: string) => this.#usage.countMessagesFor(holder, this.#host.now())
    const preparation = this.#host.prepare(client, payload, { signal: operation.signal, onProof })
    operation
      .run(preparation, this.#repliesTo(id, operation), () => use.preparing--)
      .catch((error: unknown) => this.end('failure', error))
      .finally(() => {
        this.#running.delete(operation)
        this.#free(id, operation)
        this.#watchIdle()
      })
  }

  /** A client with a key may keep its connection for the next operation. */
  #watchIdle(): void {
    clearTimeout(this.#idleTimer)
    if (this.#isOver || this.hasKey || this.#running.size > 0) return
    this.#idleTimer = setTimeout(() => this.end('idle'), this.#host.limits.idleTimeoutMs)
  }

  #complete({ id }: CompleteMessage): void {
    const operation = this.#byId.get(id)
    this.#byId.delete(id)
    operation?.end()
  }

  #hasRoomToRun(): boolean {
    const { maxOperationsPerConnection, maxPreparingPerAddress } = this.#host.limits
    return this.#running.size < maxOperationsPerConnection && this.#usage.use.preparing < maxPreparingPerAddress
  }

  #repliesTo(id: string, operation: Operation): Replies {
    // The client may use the id again when it has read the last message about it.
    const last = (message: Outgoing) => {
      this.#free(id, operation)
      return this.#send(message)
    }
    return {
      next: (payload) => this.#send({ type: MessageType.Next, id, payload }),
      complete: () => last({ type: MessageType.Complete, id }),
      error: (payload) => last({ type: MessageType.Error, id, payload }),
      failure: (error) => last({ type: MessageType.Error, id, payload: [this.#host.show(error)] }),
    }
  }

  #free(id: string, operation: Operation): void {
    if (this.#byId.get(id) === operation) this.#byId.delete(id)
  }

  /**
   * Sends a message, and ends the connection when too many bytes wait to be sent. Resolves also when the message could
   * not be sent.
   */
  #send(message: Outgoing): Promise<void> {
    if (!this.#hasRoomToSend()) return Promise.resolve()
    const text = JSON.stringify(message)
    return new Promise((resolve) => this.#socket.send(text, () => resolve()))
  }

  #hasRoomToSend(): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false
    if (!this.#isSlow()) return true
    this.end('slow_reader')
    return false
  }

  /** When too many bytes wait for one address, its connections with more than their share are the slow clients. */
  #isSlow(): boolean {
    const { maxBufferedBytes, maxBufferedBytesPerAddress, maxConnectionsPerAddress } = this.#host.limits
    const own = this.bufferedBytes
    if (own > maxBufferedBytes) return true
    return (
      own > maxBufferedBytesPerAddress / maxConnectionsPerAddress &&
      this.#usage.use.bufferedBytes > maxBufferedBytesPerAddress
    )
  }
}
