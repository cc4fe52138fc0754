// Attacks by a tenant with its key, and by strangers at the login.
import { randomBytes } from 'node:crypto'
import type { Attack } from '../attack.ts'
import { ask, createTally, held, json, open, pause, repeat } from '../wire.ts'

const READERS = 200
const CLIENTS = 32
const WALLET = '7RXtDPWyeUhJpUg9Cnw1Nuhn1kRtWTLXQuZGAMk9wQCV'

export const exportReaders: Attack = {
  name: 'export-readers',
  what: '200 clients of another tenant ask for exports of all its payments and events, and never read',
  isCheap: false,
  async run(target, signal) {
    let asked = 0
    await repeat(READERS, signal, async (place) => {
      const socket = await open(target, signal)
      if (socket === null) return await pause(signal)
      socket.pause()
      const file = place % 2 === 0 ? 'payments' : 'events'
      const range = 'from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z'
      const head = `GET /exports/${file}.csv?${range} HTTP/1.1\r\nHost: attacker\r\nAuthorization: Bearer ${target.apiKey}\r\n\r\n`
      socket.write(head)
      asked += 1
      await held(socket, signal)
    })
    return { count: asked, did: `${asked} exports requested`, faults: 0 }
  },
}

export const sharedKeys: Attack = {
  name: 'shared-keys',
  what: '32 clients of another tenant send different bodies of 60 KB with one idempotency key, and a new key every 32nd time',
  isCheap: true,
  async run(target, signal) {
    const tally = createTally()
    let number = 0
    await repeat(CLIENTS, signal, async () => {
      number += 1
      const headers = {
        authorization: `Bearer ${target.apiKey}`,
        'idempotency-key': `key-${Math.floor(number / CLIENTS)}`.padEnd(255, '0'),
      }
      const metadata = { filling: String(number).padEnd(16_000, '0') }
      const filling = 'x'.repeat(44_000)
      const body = { amount_usd_cents: 1_500, accepted_tokens: [{ kind: 'sol' }], metadata, filling }
      tally.add(await ask(target, '/intents', json(body, headers), signal))
    })
    return tally.deed()
  },
}

const guess = (prefix: string): string => prefix + randomBytes(32).toString('base64url')
const CHALLENGES = `mutation { wallet: challengeWalletLogin(purpose: log_in, wallet: "${WALLET}") { nonce }
  passkey: challengePasskey(purpose: log_in) }`
const GUESSES = `mutation ($link: String!, $nonce: String!) {
  logIn: logInWithWallet(wallet: "${WALLET}", nonce: $nonce, signature: "1") { businesses { id } }
  add: addWalletLogin(link: $link, wallet: "${WALLET}", nonce: $nonce, signature: "1") { businesses { id } }
  passkey: logInWithPasskey(answer: {id: "1"}) { businesses { id } } }`
const LINK = 'query ($link: String!) { loginLink(token: $link) { expiresAt } me { provenUntil } }'

export const logins: Attack = {
  name: 'logins',
  what: '32 clients at one address ask for challenges, and try links, signatures, passkeys and cookies of sessions',
  isCheap: true,
  async run(target, signal) {
    const tally = createTally()
    const origin = `http://${target.host}:${target.port}`
    let number = 0
    await repeat(CLIENTS, signal, async () => {
      number += 1
      const query = [CHALLENGES, GUESSES, LINK][number % 3] ?? ''
      const variables =
        query === CHALLENGES ? {} : { link: guess('li_'), ...(query === GUESSES && { nonce: guess('') }) }
      const headers = { origin, cookie: `session=${guess('ss_')}` }
      tally.add(await ask(target, '/graphql', json({ query, variables }, headers), signal))
    })
    return tally.deed()
  },
}
