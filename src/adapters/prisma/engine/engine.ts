// The interface of a database engine.
import type { PrismaClient } from '#adapters/prisma/generated/client.ts'

/** The parameters of a statement outside Prisma; values.ts describes the columns that it answers. */
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

/** A separate connection without time limits: for migrations, not for requests. */
export type Session = {
  query<Row extends object>(text: string, params?: readonly Parameter[]): Promise<Row[]>
  /** Runs any number of statements, without a transaction unless the script begins one. */
  script(sql: string): Promise<void>
}

export type Database = {
  readonly kind: 'embedded' | 'postgresql'
  readonly prisma: PrismaClient
  /**
   * Runs one parametrised statement outside Prisma, for hot paths. Both engines give the same answers: int8 is a
   * bigint; numeric, date and uuid are strings; timestamps are Dates, in UTC where they have no zone; json is parsed;
   * bytea is a Uint8Array; arrays of these are arrays. A parameter that is an array becomes a PostgreSQL array; json is
   * given as an object or as its text.
   *
   * On the embedded engine there is one connection: inside a Prisma transaction use the transaction's own client,
   * because this statement would wait for the transaction to end.
   */
  query<Row extends object>(text: string, params?: readonly Parameter[]): Promise<Row[]>
  /**
   * Calls `onNotice` for every NOTIFY on the channel. Reopens a lost connection, and then calls `onReconnect`, because
   * notices may have been missed. Resolves when it listens, to a function that stops it.
   */
  listen(channel: string, onNotice: (payload: string) => void, onReconnect?: () => void): Promise<() => Promise<void>>
  session<T>(work: (session: Session) => Promise<T>): Promise<T>
  close(): Promise<void>
}
