// A client that asks as much as it is let, in a process of its own.
import { fork } from 'node:child_process'

export type Attack = {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  readonly headers: Readonly<Record<string, string>>
  /** `########` in it becomes a number that no other request has. */
  readonly query: string
}

/** How often each answer was given, by status and code. */
export type Answers = Readonly<Record<string, number>>

export type Attacker = { run(attack: Attack): Promise<Answers>; stop(): void }

export function startAttacker(): Attacker {
  const child = fork(new URL('./attacker-process.ts', import.meta.url), { stdio: 'inherit' })
  return {
    run: (attack) =>
      new Promise((resolve, reject) => {
        child.once('message', (answers: Answers) => resolve(answers))
        child.once('exit', () => reject(new Error('the attacker ended')))
        child.send(attack)
      }),
    stop: () => void child.kill(),
  }
}
