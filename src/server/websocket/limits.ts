// Limits of one websocket, of one client address and of all websockets together. Every limit has its default here.

/** Messages and bytes that may arrive in a window. The allowance refills evenly, so a pause restores it. */
export type Allowance = { readonly messages: number; readonly bytes: number; readonly windowMs: number }

export type WebSocketLimits = {
  readonly maxConnections: number
  /** Connections that have proved no key. The others stay free for businesses. */
  readonly maxConnectionsWithoutKey: number
  readonly maxConnectionsPerAddress: number
  /** Running operations of one connection, whatever their ids: being prepared, executed or delivered. */
  readonly maxOperationsPerConnection: number
  /** Operations of one address without an answer or a place for a stream so far. */
  readonly maxPreparingPerAddress: number
  readonly maxMessageBytes: number
  readonly maxMessagesBeforeAck: number
  /** For each connection. Twice the limit of a live key, so that the limit of the key refuses an operation first. */
  readonly connectionAllowance: Allowance
  /** For each client address, over all its connections; a new connection counts as a message. */
  readonly addressAllowance: Allowance
  /** Bytes that wait for one client to read them. */
  readonly maxBufferedBytes: number
  /** The same for all connections of one address. */
  readonly maxBufferedBytesPerAddress: number
  /** From the handshake until connection_init is acknowledged. */
  readonly initTimeoutMs: number
  /** How long a connection without a key may be open without an operation that runs. */
  readonly idleTimeoutMs: number
  /** How often a client is pinged, and how long it may take to answer. */
  readonly heartbeatMs: number
  /** How long a client may take to complete the closing handshake. */
  readonly closeTimeoutMs: number
}

const KIB = 1_024
const MIB = 1_024 * KIB

export const DEFAULT_WEBSOCKET_LIMITS: WebSocketLimits = {
  maxConnections: 10_000,
  maxConnectionsWithoutKey: 8_000,
  maxConnectionsPerAddress: 500,
  maxOperationsPerConnection: 50,
  maxPreparingPerAddress: 400,
  maxMessageBytes: 64 * KIB,
  maxMessagesBeforeAck: 10,
  connectionAllowance: { messages: 2_000, bytes: 4 * MIB, windowMs: 10_000 },
  addressAllowance: { messages: 5_000, bytes: 20 * MIB, windowMs: 10_000 },
  maxBufferedBytes: MIB,
  maxBufferedBytesPerAddress: 8 * MIB,
  initTimeoutMs: 5_000,
  idleTimeoutMs: 60_000,
  heartbeatMs: 12_000,
  closeTimeoutMs: 2_000,
}
