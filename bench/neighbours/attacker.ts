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
    async run(attack) {
      const answered = Promise.withResolvers<Answers>()
      const onExit = (): void => answered.reject(new Error('the attacker ended'))
      child.once('exit', onExit)
      child.once('message', (answers: Answers) => answered.resolve(answers))
      child.send(attack)
      const answers = await answered.promise
      child.off('exit', onExit)
      return answers
    },
    stop: () => void child.kill(),
  }
}
