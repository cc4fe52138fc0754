// What the service asks of a database engine, whichever one it is.
import type { PrismaClient } from '#adapters/prisma/generated/client.ts'

/** What a statement outside Prisma may be given; see values.ts for what it answers. */
export type Parameter =
  | string
  | number
  | bigint
  | boolean
  | null
  | Date
  | Uint8Array
  | readonly Parameter[]
  | { readonly [key: string]: unknown }

/** One connection of one's own, without time limits: for migrations, not for requests. */
export type Session = {
  query<Row extends object>(text: string, params?: readonly Parameter[]): Promise<Row[]>
  /** Any number of statements. Not a transaction unless it says so. */
  script(sql: string): Promise<void>
}

export type Database = {
  readonly kind: 'embedded' | 'postgresql'
  readonly prisma: PrismaClient
  /**
   * One parametrised statement outside Prisma, for hot paths. Both engines answer alike: int8 is a bigint; numeric,
   * date and uuid are strings; timestamps are Dates, in UTC where they bear no zone; json is parsed; bytea is a
   * Uint8Array; arrays of these are arrays. A parameter that is an array becomes a PostgreSQL array; json is given
   * as an object or as its text.
   *
   * On the embedded engine there is one connection: inside a Prisma transaction use the transaction's own client,
   * for this would wait for the transaction to end.
   */
  query<Row extends object>(text: string, params?: readonly Parameter[]): Promise<Row[]>
  /**
   * Calls `onNotice` for every NOTIFY on the channel. A lost connection is made anew by itself; then `onReconnect`
   * says that notices may have been missed. Resolves when listening, to a function that stops it.
   */
  listen(channel: string, onNotice: (payload: string) => void, onReconnect?: () => void): Promise<() => Promise<void>>
  session<T>(work: (session: Session) => Promise<T>): Promise<T>
  close(): Promise<void>
}
