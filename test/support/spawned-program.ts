// A program of ours in a process of its own, to its end.
import { spawn } from 'node:child_process'

export type Outcome = { readonly code: number | null; readonly out: string; readonly err: string }

/** `program` as in `src/main.ts`. It has nothing of this process's environment but what finds programs. */
export function spawnProgram(
  program: string,
  args: readonly string[],
  { cwd, env = {}, timeout }: { cwd: string; env?: Readonly<Record<string, string>>; timeout?: number },
): Promise<Outcome> {
  const path = new URL(`../../${program}`, import.meta.url).pathname
  const options = { cwd, env: { PATH: process.env.PATH, ...env }, ...(timeout !== undefined && { timeout }) }
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
