// Corrects pg's pool: its errors have no class, it passes a failed connection to the next caller, and it closes a good
// connection after a refused statement.
import pg from 'pg'
import { isDatabaseUnavailable, rethrowWithClass, withClass } from '#adapters/prisma/engine/unavailable.ts'

/** A plan from before a migration changed its table; only a new connection drops it. */
const STALE_PLAN = '0A000'

/** The same pool in every other respect, including `instanceof`, which Prisma checks. */
export function resilientPool(pool: pg.Pool): pg.Pool {
  const connect = async () => resilientClient(await pool.connect().catch(rethrowWithClass))
  const query = async (...args: unknown[]) => {
    const client = await connect()
    try {
      return await Reflect.apply(client.query, client, args)
    } finally {
      client.release()
    }
  }
  return override(pool, { connect, query })
}

function resilientClient(client: pg.PoolClient): pg.PoolClient {
  let broken: Error | undefined
  // The pool listens to idle connections only, and an error event without a listener ends the process.
  const ignore = () => {}
  client.on('error', ignore)
  const query = async (...args: unknown[]) => {
    try {
      return await Reflect.apply(client.query, client, args)
    } catch (cause) {
      const error = withClass(cause)
      if (error instanceof Error && (isDatabaseUnavailable(error) || isStalePlan(error))) broken = error
      throw error
    }
  }
  const release = (error?: Error | boolean) => {
    client.off('error', ignore)
    client.release(broken ?? error)
  }
  return override(client, { query, release })
}

const isStalePlan = (error: Error) => error instanceof pg.DatabaseError && error.code === STALE_PLAN

function override<T extends object>(target: T, methods: Readonly<Record<string, unknown>>): T {
  return new Proxy(target, {
    get(_, key) {
      if (typeof key === 'string' && key in methods) return methods[key]
      const member: unknown = Reflect.get(target, key, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
