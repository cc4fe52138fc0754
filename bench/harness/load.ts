// Load over HTTP, made by another process, so that the two sides of a measurement meet the same client.
import { fork } from 'node:child_process'

export type Load = {
  readonly port: number
  /** Whole requests, byte for byte, sent in turn; `########` in one becomes a number that no other request has. */
  readonly requests: readonly string[]
  readonly firstNumber: number
  readonly connections: number
  readonly seconds: number
}

/** Latencies in milliseconds. */
export type LoadReport = {
  readonly requests: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

export type LoadGenerator = {
  /** Throws when any reply is not a 2xx. */
  run(load: Omit<Load, 'firstNumber'>): Promise<LoadReport>
  stop(): void
  readonly pid: number
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(new URL('./load-process.ts', import.meta.url), { stdio: 'inherit', detached: true })
  let firstNumber = 1
  return {
    async run(load) {
      const answered = Promise.withResolvers<LoadReport>()
      const onExit = (): void => answered.reject(new Error('the load generator ended'))
      child.once('exit', onExit)
      child.once('message', (message: { report: LoadReport } | { failure: string }) => {
        if ('report' in message) answered.resolve(message.report)
        else answered.reject(new Error(message.failure))
      })
      child.send({ ...load, firstNumber } satisfies Load)
      const report = await answered.promise
      child.off('exit', onExit)
      firstNumber += report.requests + load.connections
      return report
    },
    stop: () => void child.kill(),
    pid: child.pid ?? 0,
  }
}

/** Returns a POST of JSON with the key of a business, as one request for `Load`. */
export function jsonPost(path: string, body: object, apiKey: string): string {
  const text = JSON.stringify(body)
  return (
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  )
}

export const get = (path: string, apiKey: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`
