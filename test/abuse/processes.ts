// The processes next to the service: the shop's client, and one for each attack.
import { type ChildProcess, fork } from 'node:child_process'
import type { Deed, Target } from './attack.ts'
import type { Report, Shop } from './client-process.ts'

/** An attack that does not stop in time is killed. */
const END_WITHIN_MS = 10_000

export type Client = {
  /** Events since the last report. */
  report(): Promise<Report>
  stop(): void
}

export function startClient(shop: Shop): Client {
  const child = fork(new URL('./client-process.ts', import.meta.url), { stdio: 'inherit' })
  child.send(shop)
  return {
    async report() {
      child.send('report')
      return await answer<Report>(child)
    },
    stop: () => void child.kill(),
  }
}

/** Runs an attack for this time, and ends its process. Returns the report of the attack. */
export async function runAttack(name: string, target: Target, ms: number): Promise<Deed> {
  const child = fork(new URL('./attacker-process.ts', import.meta.url), { stdio: 'inherit' })
  const tooLong = setTimeout(() => child.kill('SIGKILL'), ms + END_WITHIN_MS)
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.send({ name, target, ms })
  const deed = await answer<Deed>(child).catch(() => ({ count: 0, did: 'did not stop in time', faults: 0 }))
  clearTimeout(tooLong)
  child.kill('SIGKILL')
  await gone
  return deed
}

function answer<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('the process ended'))
    child.once('exit', onExit)
    child.once('message', (message: T) => {
      child.off('exit', onExit)
      resolve(message)
    })
  })
}
