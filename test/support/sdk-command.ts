// The command `solana-payments` from its sources, as a developer runs it.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { INHERITED } from './compile-cache.ts'

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
