// Reads secrets from files, as container platforms provide them: OPERATOR_TOKEN_FILE=/run/secrets/operator-token. An
// environment variable is visible to everyone who may inspect the container, and is passed on to every child process.
import { readFileSync } from 'node:fs'
import type { Env } from './environment.ts'
import { ConfigError } from './setting.ts'
import { FILE_SETTINGS } from './settings.ts'

/** Returns the environment with the content of each file in place of its name. Throws ConfigError. */
export function withFiles(env: Env): Env {
  const read = FILE_SETTINGS.flatMap((name) => {
    const path = env[`${name}_FILE`]?.trim() ?? ''
    if (path === '') return []
    if ((env[name]?.trim() ?? '') !== '') {
      throw new ConfigError(`${name}: is set next to ${name}_FILE; set one of them`)
    }
    return [[name, contentOf(`${name}_FILE`, path)] as const]
  })
  return { ...env, ...Object.fromEntries(read) }
}

function contentOf(setting: string, path: string): string {
  let content: string
  try {
    content = readFileSync(path, 'utf8').trim()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new ConfigError(
      `${setting}: the file ${path} cannot be read (${code}); write the path of a file that contains it`,
    )
  }
  if (content === '')
    throw new ConfigError(`${setting}: the file ${path} is empty; write the path of a file that contains it`)
  return content
}
