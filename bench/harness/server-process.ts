// A server under measurement, in a process and a session of its own: where a machine shares itself out by session, each
// side of a measurement gets its own share, and not a part of its client's.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type ServerProcess = { readonly port: number; readonly pid: number; stop(): Promise<void> }

const START_LIMIT_MS = 60_000

// The measuring process keeps the input of this script open. When it closes, for any reason, the server stops.
const KEEPER = `
"$@" </dev/null & server=$!
echo "$server" >&3
read -r _
kill -TERM "$server" 2>/dev/null
wait "$server"`

/**
 * Runs a program that listens at the port that it finds in `PORT`. What it prints goes to a file, as under a supervisor.
 */
export async function startServerProcess(options: {
  readonly name: string
  readonly program: string
  readonly nodeArguments?: readonly string[]
  readonly port: number
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
}): Promise<ServerProcess> {
  const { name, program, nodeArguments = [], port, directory, env } = options
  const logFile = join(directory, `${name}.log`)
  const log = openSync(logFile, 'w')
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', process.execPath, ...nodeArguments, program], {
    stdio: ['pipe', log, log, 'pipe'],
    detached: true,
    // A setting of the measuring process must not leak into the server.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env, PORT: String(port) },
  })
  closeSync(log)
  const pid = new Promise<number>((resolve) => keeper.stdio[3]?.once('data', (line) => resolve(Number(line))))
  const ended = new Promise<void>((resolve) => keeper.once('exit', () => resolve()))
  const stop = async (): Promise<void> => {
    keeper.stdin?.end()
    await ended
  }
  for (const deadline = Date.now() + START_LIMIT_MS; Date.now() < deadline && keeper.exitCode === null; ) {
    if (await answers(port)) return { port, pid: await pid, stop }
    await sleep(50)
  }
  await stop()
  throw new Error(`${name} did not start:\n${readFileSync(logFile, 'utf8').slice(-4_000)}`)
}

const answers = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  )
