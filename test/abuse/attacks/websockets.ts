// Attacks by websocket.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from '../attack.ts'
import { frame, held, message, openWebSocket, PING, pause, pour, repeat, TEXT } from '../wire.ts'

const SUBSCRIPTION = 'subscription ($clientSecret: String!) { checkoutUpdated(clientSecret: $clientSecret) { status } }'

export const pings: Attack = {
  name: 'pings',
  what: '4 websockets send pings and never read',
  isCheap: true,
  async run(target, signal) {
    const payload = Buffer.alloc(125)
    const chunk = Buffer.concat(Array.from({ length: 500 }, () => frame(PING, payload)))
    let sent = 0
    await repeat(4, signal, async () => {
      const socket = await openWebSocket(target, signal)
      if (socket === null) return await pause(signal)
      socket.pause()
      await pour(
        socket,
        () => {
          sent += chunk.length
          return chunk
        },
        signal,
      )
      socket.destroy()
    })
    return { count: sent, did: `${(sent / 2 ** 20).toFixed(0)} MiB of pings`, faults: 0 }
  },
}

export const churn: Attack = {
  name: 'churn',
  what: '8 websockets subscribe and complete under one id, without a pause',
  isCheap: true,
  async run(target, signal) {
    let rounds = 0
    await repeat(8, signal, async (place) => {
      const socket = await openWebSocket(target, signal)
      if (socket === null) return await pause(signal)
      socket.resume()
      const payload = { query: SUBSCRIPTION, variables: { clientSecret: target.clientSecrets[place] } }
      socket.write(message({ type: 'connection_init' }))
      await pour(
        socket,
        () => {
          rounds += 1
          return Buffer.concat([
            message({ type: 'subscribe', id: '1', payload }),
            message({ type: 'complete', id: '1' }),
          ])
        },
        signal,
      )
      socket.destroy()
    })
    return { count: rounds, did: `${rounds} subscriptions`, faults: 0 }
  },
}

export const connections: Attack = {
  name: 'websockets',
  what: '2,000 websockets are opened, and reopened when they are closed',
  isCheap: false,
  async run(target, signal) {
    let opened = 0
    let refused = 0
    await repeat(2_000, signal, async () => {
      const socket = await openWebSocket(target, signal)
      if (socket === null) {
        refused += 1
        return await pause(signal)
      }
      opened += 1
      await held(socket, signal)
    })
    return { count: opened, did: `${opened} were accepted, ${refused} refused`, faults: 0 }
  },
}

const VIOLATIONS: readonly Buffer[] = [
  Buffer.from([0x81, 0x05, ...Buffer.from('plain')]),
  Buffer.from([0xf1, 0x80, 0, 0, 0, 0]),
  Buffer.from([0x83, 0x80, 0, 0, 0, 0]),
  Buffer.from([0x89, 0xfe, 0xff, 0xff, 0, 0, 0, 0]),
  Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
  Buffer.from([0x80, 0x81, 0, 0, 0, 0, 0x41]),
  frame(TEXT, Buffer.from([0xc3, 0x28])),
  frame(TEXT, 'no JSON'),
  message({ type: 'subscribe', id: '1', payload: { query: '{ config { cluster } }' } }),
  message({ type: 'connection_init', payload: 7 }),
  frame(TEXT, '['.repeat(60_000)),
]

export const violations: Attack = {
  name: 'violations',
  what: '16 clients break the websocket protocol, each in another way',
  isCheap: true,
  async run(target, signal) {
    let sent = 0
    await repeat(16, signal, async () => {
      const socket = await openWebSocket(target, signal)
      if (socket === null) return await pause(signal)
      socket.resume()
      socket.write(VIOLATIONS[sent % VIOLATIONS.length] ?? '')
      sent += 1
      await Promise.race([held(socket, signal), sleep(1_000)])
      socket.destroy()
    })
    return { count: sent, did: `${sent} violations`, faults: 0 }
  },
}
