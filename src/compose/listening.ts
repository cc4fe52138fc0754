// Tries the addresses to listen on before anything else is started, which would take seconds.
import { createServer } from 'node:net'
import type { Config } from '#config/config.ts'
import type { ConfigError } from '#config/setting.ts'
import { type SettingName, unusable } from '#config/settings.ts'
import { codeOf } from '#lib/values.ts'

/** `port`: null where a worker listens at the operator's port alone. */
export type ListenAt = Pick<Config['server'], 'host' | 'operatorPort'> & { readonly port: number | null }
type Place = { readonly port: number; readonly setting: SettingName }

const placesOf = ({ port, operatorPort }: ListenAt): readonly Place[] => [
  ...(port === null ? [] : [{ port, setting: 'PORT' } as const]),
  ...(operatorPort === null ? [] : [{ port: operatorPort, setting: 'OPERATOR_PORT' } as const]),
]

/** A worker alone serves no API. */
export const listenAt = ({
  role,
  server: { host, port, operatorPort },
}: Pick<Config, 'role' | 'server'>): ListenAt => ({
  host,
  port: role === 'worker' ? null : port,
  operatorPort,
})

/** Listens for a moment on each port. Throws ConfigError where that is not possible. */
export async function tryListening(at: ListenAt): Promise<void> {
  for (const { port } of placesOf(at)) {
    await explainListenErrors(
      at,
      () =>
        new Promise<void>((resolve, reject) => {
          const probe = createServer().once('error', reject)
          probe.listen(port, at.host, () => probe.close(() => resolve()))
        }),
    )
  }
}

/** Explains a failure of the server itself: another process may have taken the port after the trial. */
export async function explainListenErrors<T>(at: ListenAt, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    const code = codeOf(error)
    throw code === undefined ? error : refusal(at.host, placeOf(at, error), code)
  }
}

/** Returns the port that an error of `listen` is about; undefined when it names none, as for an unknown host. */
function placeOf(at: ListenAt, error: unknown): Place | undefined {
  const failed = typeof error === 'object' && error !== null && 'port' in error ? error.port : undefined
  return placesOf(at).find(({ port }) => port === failed)
}

function refusal(host: string, place: Place | undefined, code: string): ConfigError {
  if (place !== undefined && code === 'EADDRINUSE')
    return unusable(
      place.setting,
      `${place.port} is in use by another process`,
      'stop that process, or write another port',
    )
  if (place !== undefined && code === 'EACCES')
    return unusable(place.setting, `${place.port} needs more rights than this process has`, 'write one above 1023')
  switch (code) {
    case 'EADDRNOTAVAIL':
      return unusable('HOST', `${host} is no address of this machine`)
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return unusable('HOST', `${host} is not known (${code})`)
    default:
      return unusable('HOST', `${host} cannot be listened on (${code})`)
  }
}
