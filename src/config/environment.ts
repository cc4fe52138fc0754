// The environment of the process: the only place that reads it.
import { existsSync } from 'node:fs'
import { loadEnvFile } from 'node:process'

export type Env = Readonly<Record<string, string | undefined>>

/** Returns the environment of the process, with the additions of a file `.env` in the working directory. */
export function environment(): Env {
  if (existsSync('.env')) loadEnvFile('.env')
  return process.env
}
