// What both engines have in common: Prisma and the statements outside it, on one pool of connections.
import { hash } from 'node:crypto'
import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import type { Database, Parameter } from '#adapters/prisma/engine/engine.ts'
import { PARSERS, toWire } from '#adapters/prisma/engine/values.ts'
import { PrismaClient } from '#adapters/prisma/generated/client.ts'

/** Prepared statements of a connection. The service has fewer; a text that is built at run time gets none. */
const MAX_PREPARED = 500

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number) => PARSERS[oid] ?? ((text: string) => text),
}

export type TransactionLimits = { readonly maxWait: number; readonly timeout: number }

type PoolOptions = {
  /** Those of a transaction, in milliseconds. */
  readonly limits: TransactionLimits
  /** False where a connection has its session together with others: the statements that it prepares are not its own. */
  readonly prepares: boolean
  readonly Adapter?: typeof PrismaPg
}

/** Opens a database on a pool. */
export function onPool(
  pool: pg.Pool,
  { limits, prepares, Adapter = PrismaPg }: PoolOptions,
): Pick<Database, 'prisma' | 'query'> {
  const nameOf = prepares ? createStatementNames() : () => ''
  const adapter = new Adapter(pool, { statementNameGenerator: ({ sql }) => nameOf(sql) })
  return {
    prisma: new PrismaClient({ adapter, transactionOptions: limits }),
    query: (text, params) => run(pool, text, params, nameOf(text)),
  }
}

/** Runs one statement; with a name, a connection parses and plans it once. */
export async function run<Row extends object>(
  client: pg.Pool | pg.Client,
  text: string,
  params: readonly Parameter[] = [],
  name?: string,
): Promise<Row[]> {
  const { rows } = await client.query<Row>({ name, text, values: params.map(toWire), types: TYPES })
  return rows
}

/**
 * Returns a name for each text, so that a connection parses and plans it once; the empty name means none. The name derives from the
 * text, so that it means the same statement in every process.
 */
function createStatementNames(): (text: string) => string {
  const names = new Map<string, string>()
  return (text) => {
    if (!names.has(text) && names.size < MAX_PREPARED) names.set(text, `statement_${digestOf(text)}`)
    return names.get(text) ?? ''
  }
}

/** 128 bits of SHA-256, because PostgreSQL cuts a name off after 63 characters. */
const digestOf = (text: string): string => hash('sha256', text).slice(0, 32)
