// One API and three workers, each a process of the program that `npm start` runs. Each may be killed at any moment, and
// is then started again.
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

const ROLES = ['api', 'worker', 'worker', 'worker'] as const
export type Role = (typeof ROLES)[number]
const START_LIMIT_MS = 120_000

type Member = { readonly role: Role; child: ChildProcess; output: string; readyAfterMs: number | null }

export type Fleet = {
  /** Kills a random process without cleanup, and starts another in its place. Returns the role of the process. */
  killOne(random: () => number): Role
  /** Resolves when the API listens and the workers run. */
  ready(): Promise<void>
  /** The duration of each start, in milliseconds. */
  readonly starts: readonly number[]
  /** The last output of processes that ended unexpectedly; empty in a correct run. */
  readonly lost: readonly string[]
  stop(): Promise<void>
}

export async function startFleet(settings: Readonly<Record<string, string>>): Promise<Fleet> {
  const members: Member[] = []
  const starts: number[] = []
  const lost: string[] = []
  const doomed = new WeakSet<ChildProcess>()

  const launch = (role: Role): Member => {
    const began = performance.now()
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/main.ts'], {
      env: { ...settings, ROLE: role },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const member: Member = { role, child, output: '', readyAfterMs: null }
    const listen = (part: Buffer): void => {
      member.output = (member.output + part.toString()).slice(-4_000)
      if (member.readyAfterMs !== null || !member.output.includes('listens at')) return
      member.readyAfterMs = performance.now() - began
      starts.push(member.readyAfterMs)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('exit', () => {
      if (doomed.has(child)) return
      lost.push(`${role}: ${member.output}`)
      members[members.indexOf(member)] = launch(role)
    })
    return member
  }
  const ready = async (): Promise<void> => {
    const deadline = performance.now() + START_LIMIT_MS
    while (members.some(({ readyAfterMs }) => readyAfterMs === null)) {
      if (performance.now() > deadline || lost.length > 8) {
        throw new Error(`a process did not start: ${[...lost, ...members.map(({ output }) => output)].join('\n')}`)
      }
      await sleep(50)
    }
  }
  const end = (child: ChildProcess, signal: NodeJS.Signals): void => {
    doomed.add(child)
    child.kill(signal)
  }

  // Kills all processes when this process ends or fails.
  const endAll = (): void => {
    for (const { child } of members) end(child, 'SIGKILL')
  }
  process.once('exit', endAll)

  // The first process creates the tables; the others find them.
  for (const role of ROLES) {
    members.push(launch(role))
    await ready()
  }
  return {
    starts,
    lost,
    ready,
    killOne(random) {
      const at = Math.floor(random() * members.length)
      const victim = members[at]
      if (victim === undefined) throw new Error('the fleet is empty')
      end(victim.child, 'SIGKILL')
      members[at] = launch(victim.role)
      return victim.role
    },
    async stop() {
      process.off('exit', endAll)
      const running = members.splice(0).map(({ child }) => child)
      const gone = running.map((child) => new Promise<void>((done) => void child.once('exit', () => done())))
      for (const child of running) end(child, 'SIGKILL')
      await Promise.all(gone)
    },
  }
}
