// Attacks by requests that are larger or stranger than they look.
import { gzipSync } from 'node:zlib'
import { EVERY_FIELD } from '../../support/wire.ts'
import type { Attack } from '../attack.ts'
import { ask, createTally, json, open, repeat } from '../wire.ts'

const MIB = 2 ** 20

export const bombs: Attack = {
  name: 'bombs',
  what: '8 clients send compressed, deep and huge bodies to REST and GraphQL',
  isCheap: false,
  async run(target, signal) {
    const tally = createTally()
    const packed = gzipSync(Buffer.alloc(64 * MIB, ' '))
    const plain = { 'content-type': 'application/json' }
    const bodies: readonly { headers: Record<string, string>; body: Buffer | string }[] = [
      { headers: { ...plain, 'content-encoding': 'gzip' }, body: packed },
      { headers: plain, body: '['.repeat(90_000) },
      { headers: plain, body: `{"query":"${'{a'.repeat(20_000)}` },
      { headers: plain, body: Buffer.alloc(4 * MIB, '1') },
      { headers: plain, body: `{"amount_usd_cents":1${'0'.repeat(90_000)}}` },
      { headers: plain, body: `{${Array.from({ length: 8_000 }, (_, at) => `"${at}":1`).join(',')}}` },
    ]
    let number = 0
    await repeat(8, signal, async () => {
      const path = number % 2 === 0 ? '/graphql' : '/intents'
      const { headers, body } = bodies[Math.floor(number / 2) % bodies.length] ?? { headers: plain, body: '' }
      number += 1
      const authorization = `Bearer ${target.apiKey}`
      tally.add(await ask(target, path, { method: 'POST', headers: { ...headers, authorization }, body }, signal))
    })
    return tally.deed()
  },
}

const HEADS: readonly string[] = [
  'GET /health HTTP/1.1\r\n\r\n',
  'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'GET /health HTTP/1.1\r\nHost: \r\n\r\n',
  'GET /graphql HTTP/1.1\r\nHost: [::\r\nAccept: text/html\r\n\r\n',
  'GET /graphql HTTP/1.1\r\nHost: a b c\r\n\r\n',
  'GET http://elsewhere:99999/health HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET //health HTTP/1.1\r\nHost: a/../..\r\n\r\n',
  `GET /health HTTP/1.1\r\nHost: ${'a'.repeat(15_000)}\r\n\r\n`,
  'POST /graphql HTTP/1.1\r\nHost: ?#@\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /health HTTP/1.0\r\n\r\n',
]

export const hosts: Attack = {
  name: 'hosts',
  what: '32 clients send strange Host headers and targets',
  isCheap: true,
  async run(target, signal) {
    const tally = createTally()
    let number = 0
    await repeat(32, signal, async () => {
      const socket = await open(target, signal)
      if (socket === null) return
      const head = HEADS[number % HEADS.length] ?? ''
      number += 1
      const reply = new Promise<string>((resolve) => {
        socket.once('data', (data) => resolve(data.toString('latin1')))
        socket.once('close', () => resolve(''))
      })
      socket.write(head)
      tally.add(Number(/^HTTP\/1\.1 (\d+)/.exec(await reply)?.[1] ?? 0))
      socket.destroy()
    })
    return tally.deed()
  },
}

// Attacks by GraphQL documents.

export const uniqueDocuments: Attack = {
  name: 'unique-documents',
  what: '32 clients without a key send new documents of 4 kB',
  isCheap: true,
  async run(target, signal) {
    const tally = createTally()
    let number = 0
    await repeat(32, signal, async () => {
      number += 1
      const fields = Array.from({ length: 60 }, (_, at) => `field_${number}_${at}_${'x'.repeat(30)}: __typename`)
      tally.add(await ask(target, '/graphql', json({ query: `query Q${number} { ${fields.join(' ')} }` }), signal))
    })
    return tally.deed()
  },
}

export const repeatedFields: Attack = {
  name: 'repeated-fields',
  what: '16 clients repeat fields, aliases and directives in one document',
  isCheap: true,
  async run(target, signal) {
    const tally = createTally()
    let number = 0
    await repeat(16, signal, async () => {
      number += 1
      const many = (count: number, text: (at: number) => string) => Array.from({ length: count }, (_, at) => text(at))
      const documents = [
        `{ config { ${'cluster '.repeat(2_000)} } }`,
        `{ ${many(500, (at) => `a${at}: config { cluster }`).join(' ')} }`,
        `{ config { cluster ${'@include(if: true) '.repeat(500)} } }`,
        `{ ${many(300, (at) => `...F${at}`).join(' ')} } ${many(300, (at) => `fragment F${at} on Query { config { cluster } }`).join(' ')}`,
        `${'{ config '.repeat(400)} cluster ${'}'.repeat(400)}`,
      ]
      const query = `${documents[number % documents.length]} # ${number}`
      tally.add(await ask(target, '/graphql', json({ query }), signal))
    })
    return tally.deed()
  },
}

export const fullLists: Attack = {
  name: 'full-lists',
  what: 'another tenant requests 16 lists of 100 payments with every field at once, again and again',
  isCheap: false,
  async run(target, signal) {
    const tally = createTally()
    const query = `{ paymentIntents(first: 100) { edges { cursor node { ${EVERY_FIELD} } } } }`
    const list = json({ query }, { authorization: `Bearer ${target.apiKey}` })
    await repeat(16, signal, async () => tally.add(await ask(target, '/graphql', list, signal)))
    return tally.deed()
  },
}
