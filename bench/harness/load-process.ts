// The client side of a measurement, in a process of its own: plain sockets, keep-alive, and on each connection the next
// request as soon as the last one is answered. It does as little as it can, because it shares the machine.
import { connect } from 'node:net'
import type { Load, LoadReport } from './load.ts'

/** In a request, a number of as many digits takes its place, another one each time. */
const COUNTER = /#{6,}/

/** Writes requests into one buffer each, over and over: the counter's digits are the only thing that changes. */
function createWriter(requests: readonly string[], firstNumber: number): () => Buffer {
  const templates = requests.map((request) => {
    const marker = COUNTER.exec(request)
    return { bytes: Buffer.from(request), at: marker?.index ?? 0, digits: marker?.[0].length ?? 0 }
  })
  let number = firstNumber
  return () => {
    const template = templates[number % templates.length]
    if (template === undefined) throw new Error('there is no request to send')
    const { bytes, at, digits } = template
    const text = String(number)
    number += 1
    if (digits === 0) return bytes
    const written = Buffer.from(bytes)
    written.write(text.padStart(digits, '0'), at, 'latin1')
    return written
  }
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const LENGTH = /content-length: (\d+)/i

/** Returns the bytes of the reply at the start of the buffer; null while they are unknown. Throws on any status but 2xx. */
function replyLength(received: Buffer): number | null {
  const head = received.indexOf(END_OF_HEAD)
  if (head < 0) return null
  const text = received.toString('latin1', 0, head)
  if (!text.startsWith('HTTP/1.1 2')) throw new Error(`not answered: ${received.toString()}`)
  const length = LENGTH.exec(text)?.[1]
  if (length === undefined) throw new Error(`a reply without its length: ${text}`)
  return head + END_OF_HEAD.length + Number(length)
}

function drive(port: number, next: () => Buffer, until: number, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received: Buffer = Buffer.alloc(0)
    let sentAt = 0
    const send = (): void => {
      sentAt = performance.now()
      socket.write(next())
    }
    socket.setNoDelay(true)
    socket.once('connect', send)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed a connection')))
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      try {
        const length = replyLength(received)
        if (length === null || received.length < length) return
      } catch (error) {
        return reject(error)
      }
      received = Buffer.alloc(0)
      const now = performance.now()
      latencies.push(now - sentAt)
      if (now < until) return send()
      socket.removeAllListeners('close').destroy()
      resolve()
    })
  })
}

async function run({ port, requests, firstNumber, connections, seconds }: Load): Promise<LoadReport> {
  const next = createWriter(requests, firstNumber)
  const latencies: number[] = []
  const start = performance.now()
  const until = start + seconds * 1_000
  await Promise.all(Array.from({ length: connections }, () => drive(port, next, until, latencies)))
  const took = (performance.now() - start) / 1_000
  latencies.sort((a, b) => a - b)
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
  return { requests: latencies.length, perSecond: latencies.length / took, p50: percentile(0.5), p99: percentile(0.99) }
}

process.on('message', (load: Load) => {
  run(load).then(
    (report) => process.send?.({ report }),
    (error: unknown) => process.send?.({ failure: error instanceof Error ? error.message : String(error) }),
  )
})
// The measuring process is gone, and with it the stop of this process.
process.on('disconnect', () => process.exit())
