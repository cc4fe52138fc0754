// Waiting for a chain that answers and takes in nothing, or does not answer at all.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Signature } from '@solana/kit'
import { afterEach, expect, it } from 'vitest'
import { ChainStalled, waitUntilFinal, withDeadline } from '#sandbox/chain/send-transaction.ts'

const SIGNATURE = '1'.repeat(64) as Signature

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** `status` null leaves every question open. */
async function chainThatSays(status: object | null): Promise<string> {
  const reply = JSON.stringify({ jsonrpc: '2.0', id: '1', result: { context: { slot: 7 }, value: [status] } })
  server = createServer((_, response) => {
    if (status !== null) response.writeHead(200, { 'content-type': 'application/json' }).end(reply)
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const processed = { slot: 8, confirmations: -1, err: null, status: { Ok: null }, confirmationStatus: 'processed' }

it.each([
  ['takes in nothing', processed],
  ['does not answer', null],
])('a chain that %s is given up in good time', async (_case, status) => {
  const url = await chainThatSays(status)
  const asked = performance.now()
  const waiting = withDeadline((signal) => waitUntilFinal(url, SIGNATURE, signal), 150)
  await expect(waiting).rejects.toBeInstanceOf(ChainStalled)
  expect(performance.now() - asked).toBeLessThan(2_000)
})

it('what fails for another reason says so', async () => {
  const url = await chainThatSays({ ...processed, err: 'AccountInUse' })
  const waiting = withDeadline((signal) => waitUntilFinal(url, SIGNATURE, signal))
  await expect(waiting).rejects.toThrow('AccountInUse')
})
