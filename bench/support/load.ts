// Load over HTTP from a thread of its own: keep-alive connections, each sending its next request when the last is answered.
import { connect } from 'node:net'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

export type Load = {
  readonly port: number
  /** The request, byte for byte. */
  readonly request: string
  readonly connections: number
  readonly durationMs: number
}

/** `p99` in milliseconds. Throws when any reply is not 200. */
export type LoadResult = { readonly perSecond: number; readonly p99: number }

export function load(options: Load): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: options })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

async function run({ port, request, connections, durationMs }: Load): Promise<LoadResult> {
  const latencies: number[] = []
  const start = performance.now()
  const end = start + durationMs
  const bytes = Buffer.from(request)
  await Promise.all(Array.from({ length: connections }, () => drive(port, bytes, end, latencies)))
  const seconds = (performance.now() - start) / 1000
  latencies.sort((a, b) => a - b)
  return { perSecond: latencies.length / seconds, p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0 }
}

function drive(port: number, request: Buffer, end: number, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    let reply = ''
    let sent = 0
    const send = () => {
      sent = performance.now()
      socket.write(request)
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      reply += chunk.toString('latin1')
      const head = reply.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = Number(/content-length: (\d+)/i.exec(reply)?.[1])
      if (reply.length < head + 4 + length) return
      if (!reply.startsWith('HTTP/1.1 200 ')) return reject(new Error(reply.slice(0, 500)))
      reply = ''
      const now = performance.now()
      latencies.push(now - sent)
      if (now < end) return send()
      socket.end()
      resolve()
    })
  })
}

if (!isMainThread) parentPort?.postMessage(await run(workerData))
