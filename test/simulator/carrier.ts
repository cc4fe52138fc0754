// Carries the calls of an instance: late, twice, in another order, not at all, or with the answer lost. An instance may
// die at any call, before its effect or after it.
import { DatabaseUnavailableError } from '#adapters/prisma/engine/database.ts'
import { ProviderFault } from '#adapters/solana/rpc/provider-fault.ts'
import { virtualNow } from './virtual-time.ts'
import type { Ground } from './world.ts'

export type Route = 'database' | 'rpc' | 'feed' | 'webhook' | 'signer'

export type Carrier = {
  carry<T>(route: Route, label: string, effect: () => Promise<T>): Promise<T>
  /** Waits in the world's time. */
  sleep(ms: number, label: string): Promise<void>
  readonly alive: boolean
  /** From now on no call of this instance has any effect, except calls that are already on their way. */
  kill(): void
  /** Calls to the database that are on their way have no effect, and fail. */
  loseDatabase(): void
  /** Rejects when the instance dies. */
  readonly death: Promise<never>
}

/** The longest delay of a call, in milliseconds. */
const DELAYS: Readonly<Record<Route, number>> = { database: 2_000, rpc: 8_000, feed: 1_000, webhook: 15_000, signer: 0 }

export class Died extends Error {}

export function createCarrier(ground: Ground, name: string, onDeath: () => void): Carrier {
  const { faults, scheduler, trace, dice: all } = ground
  const dice = all.stream(name)
  let alive = true
  /** Counts the databases that this instance was connected to. */
  let connected = 0
  let announce: (error: Died) => void = () => {}
  const death = new Promise<never>((_, reject) => {
    announce = reject
  })
  death.catch(() => {})

  const kill = (): void => {
    if (!alive) return
    alive = false
    trace.note(`${name} dies`)
    announce(new Died(name))
    onDeath()
  }

  const dueAt = (route: Route): number => {
    if (faults.strikes('delayed')) return virtualNow() + dice.between(50, DELAYS[route])
    return faults.strikes('reordered') ? virtualNow() + dice.between(0, 40) : virtualNow()
  }

  return {
    get alive() {
      return alive
    },
    death,
    kill,
    loseDatabase() {
      connected += 1
    },
    sleep: (ms, label) =>
      new Promise((resolve) => {
        const run = async () => void (alive && resolve())
        if (alive) scheduler.add({ label: `${name} ${label}`, dueAt: virtualNow() + ms, run })
      }),
    carry: <T>(route: Route, label: string, effect: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        if (!alive) return
        const own = connected
        const say = (what: string) => trace.note(`${name} ${label}: ${what}`)
        const run = async (): Promise<void> => {
          // A call that was on its way when its sender died may still arrive.
          if (!alive && dice.chance(0.5)) return
          if (route === 'database' && own !== connected) {
            say('the connection is lost')
            return alive ? reject(unavailable(route)) : undefined
          }
          if (alive && faults.strikes('crash before effect')) return kill()
          const mayFail = alive && route !== 'signer'
          if (mayFail && faults.strikes('request lost')) {
            say('lost on the way')
            return reject(unavailable(route))
          }
          try {
            let answer = await effect()
            if (mayFail && route === 'rpc' && faults.strikes('duplicated')) answer = await effect()
            if (!alive) return say('has an effect after its sender died')
            if (faults.strikes('crash after effect')) return kill()
            if (mayFail && faults.strikes('answer lost')) {
              say('the answer is lost')
              return reject(unavailable(route))
            }
            say(brief(answer))
            resolve(answer)
          } catch (error) {
            say(`fails: ${error instanceof Error ? error.message.split('\n').at(-1) : String(error)}`)
            if (alive) reject(error)
          }
        }
        scheduler.add({ label: `${name} ${label}`, dueAt: dueAt(route), run })
      }),
  }
}

function unavailable(route: Route): Error {
  if (route === 'database') return new DatabaseUnavailableError('the connection was lost')
  return route === 'rpc' ? new ProviderFault('timeout') : new Error('no answer')
}

/** Enough of an answer to distinguish two runs. */
function brief(answer: unknown): string {
  if (Array.isArray(answer)) return `${answer.length} items`
  if (typeof answer === 'object' && answer !== null) return 'ok'
  return String(answer)
}
