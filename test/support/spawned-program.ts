// Programs of the project in child processes, with what they inherit.
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'

// Where Node keeps the programs that it has compiled. A test starts the service in dozens of processes, and to compile it takes
// a third of the processor time of a start.

const DIRECTORY = resolve(import.meta.dirname, '../../node_modules/.cache/compiled')

/** Makes this process and the workers that it starts keep what they compile, for each other and for later runs. */
export function keepWhatIsCompiled(): void {
  process.env.NODE_COMPILE_CACHE ??= DIRECTORY
}

/** What a program of the project inherits from this environment. */
export const INHERITED: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? DIRECTORY,
}

export type Outcome = { readonly code: number | null; readonly out: string; readonly err: string }

/** `program` is a path such as `src/main.ts`. The child inherits little of this environment. */
export function spawnProgram(
  program: string,
  args: readonly string[],
  { cwd, env = {}, timeout }: { cwd: string; env?: Readonly<Record<string, string>>; timeout?: number },
): Promise<Outcome> {
  const path = new URL(`../../${program}`, import.meta.url).pathname
  const options = { cwd, env: { ...INHERITED, ...env }, ...(timeout !== undefined && { timeout }) }
  const child = spawn(process.execPath, [path, ...args], options)
  const texts = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    texts.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    texts.err += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...texts }))
  })
}

// The command `solana-payments` from its sources, as a developer runs it.

const MAIN = new URL('../../sdk/src/cli/main.ts', import.meta.url).pathname
type Env = Readonly<Record<string, string>>

const start = (args: readonly string[], env: Env) =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...args], {
    env: { ...INHERITED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

export async function runCommand(
  args: readonly string[],
  env: Env,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = start(args, env)
  const [out, err] = [text(child.stdout), text(child.stderr)]
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out: await out, err: await err }
}

/** Starts a command that goes on until it is stopped. */
export function startCommand(args: readonly string[], env: Env) {
  const child = start(args, env)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part: Buffer) => {
      output += part.toString()
    })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    output: () => output,
    /** Resolves with the exit code. */
    async stop(signal: NodeJS.Signals = 'SIGINT') {
      child.kill(signal)
      return await ended
    },
  }
}
