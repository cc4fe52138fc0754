// Runs a program of the project in a child process until it ends.
import { spawn } from 'node:child_process'
import { INHERITED } from './compile-cache.ts'

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
