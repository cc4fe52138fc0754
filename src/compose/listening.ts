// The address to listen on, tried before anything is started: what takes seconds must not be done for nothing.
import { createServer } from 'node:net'
import { codeOf } from '#adapters/node/system-error.ts'
import { type Config, type ConfigError, unusable } from '#config.ts'

type At = Pick<Config['server'], 'host' | 'port'>

/** Listens for a moment. Throws ConfigError where nobody can. */
export const tryListening = (at: At): Promise<void> =>
  toldBySetting(
    at,
    () =>
      new Promise((resolve, reject) => {
        const probe = createServer().once('error', reject)
        probe.listen(at.port, at.host, () => probe.close(() => resolve()))
      }),
  )

/** Another process may be quicker than the server, and then it is the server that fails. */
export async function toldBySetting<T>(at: At, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    const code = codeOf(error)
    throw code === undefined ? error : refusal(at, code)
  }
}

function refusal({ host, port }: At, code: string): ConfigError {
  switch (code) {
    case 'EADDRINUSE':
      return unusable('PORT', `${port} is in use by another process`, 'stop that process, or write another port')
    case 'EACCES':
      return unusable('PORT', `${port} needs more rights than this process has`, 'write one above 1023')
    case 'EADDRNOTAVAIL':
      return unusable('HOST', `${host} is no address of this machine`)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return unusable('HOST', `${host} is not known (${code})`)
    default:
      return unusable('HOST', `${host} cannot be listened on (${code})`)
  }
}
