// Connections: slow connections, connections under way when the service stops, and later connections.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { nextTurn } from '#lib/steps.ts'
import { DEFAULT_TIMEOUTS } from '#server/listening.ts'
import { LATE_IN_A_TURN } from '#server/refusals.ts'
import { pendingIntent } from '../support/example-intent.ts'
import { API_KEY, startTestService, type TestOptions, type TestService, withKey } from '../support/services.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close()
})

async function start(options: TestOptions): Promise<TestService> {
  const service = await startTestService(options)
  open.push(service)
  return service
}

/** A connection, the bytes received so far, and its end. */
function dial(
  service: TestService,
  options: { readonly allowHalfOpen?: boolean } = {},
): { socket: Socket; received(): string; ended: Promise<void> } {
  let text = ''
  const socket = connect({ port: service.port, host: '127.0.0.1', ...options })
  socket.on('data', (chunk) => {
    text += chunk
  })
  const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  socket.on('error', () => undefined)
  open.push({ close: () => socket.destroy() })
  return { socket, received: () => text, ended }
}

const impatient = {
  ...DEFAULT_TIMEOUTS,
  headersTimeout: 100,
  requestTimeout: 200,
  keepAliveTimeout: 100,
  connectionsCheckingInterval: 20,
}

describe('a client that sends too slowly', () => {
  it('is cut off within its headers', async () => {
    const { socket, received, ended } = dial(await start({ settings: { timeouts: impatient } }))
    socket.write('GET /config HTTP/1.1\r\nHost: a\r\nX-Slow: ')
    await ended
    expect(received()).toMatch(/^HTTP\/1.1 408 .*{"error":".+"}$/s)
  })

  it('is one of at most 50 clients that are cut off in one turn of the event loop', async () => {
    const timeouts = { ...impatient, connectionsCheckingInterval: 400 }
    const service = await start({ settings: { timeouts } })
    const refused = () => service.logLines.filter((line) => line.includes('broken request')).length
    const clients = Array.from({ length: 3 * LATE_IN_A_TURN + 1 }, () => dial(service))
    await Promise.all(clients.map(({ socket }) => once(socket, 'connect')))
    let most = 0
    for (let before = 0; before < clients.length; before = refused()) {
      await nextTurn()
      most = Math.max(most, refused() - before)
    }
    expect(most).toBe(LATE_IN_A_TURN)
    await Promise.all(clients.map(({ ended }) => ended))
    for (const { received } of clients) expect(received()).toMatch(/^HTTP\/1.1 408 .*{"error":".+"}$/s)
  })

  it('is cut off within its body', async () => {
    const { socket, ended } = dial(await start({ settings: { timeouts: impatient } }))
    const head = `POST /intents HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${API_KEY}\r\nContent-Type: application/json\r\n`
    socket.write(`${head}Content-Length: 1000\r\n\r\n{"amount`)
    await ended
  })

  const head = `Host: a\r\nAuthorization: Bearer ${API_KEY}\r\n`
  const body = JSON.stringify({ amount_usd_cents: 2_500, accepted_tokens: [{ kind: 'sol' }] })
  const begun = `POST /intents HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  it.each([
    ['sends nothing', '', begun + body],
    ['sends a part of the head', begun.slice(0, 40), begun.slice(40) + body],
    ['sends a part of the body', begun + body.slice(0, 5), body.slice(5)],
  ])('%s, and has nothing carried out that it sends after its refusal', async (_case, before, after) => {
    let created = 0
    const create = () => Promise.reject(new Error(`created ${++created}`))
    const service = await start({ settings: { timeouts: impatient }, services: { intents: { create } } })
    const { socket, received, ended } = dial(service, { allowHalfOpen: true })
    socket.write(before)
    await once(socket, 'end')
    expect(received()).toMatch(/^HTTP\/1.1 408 /)
    socket.end(after)
    await ended
    // A request of another client comes behind it.
    expect((await service.get('/')).status).toBe(200)
    expect(created).toBe(0)
  })

  it('is cut off when it is idle after a reply', async () => {
    const { socket, received, ended } = dial(await start({ settings: { timeouts: impatient } }))
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await ended
    expect(received()).toMatch(/^HTTP\/1.1 200 /)
  })
})

describe('requests that a client sends without waiting for replies', () => {
  it('are handled one after the other, and answered in order', async () => {
    const asked: number[] = []
    const answers: (() => void)[] = []
    const service = await start({
      services: {
        intents: {
          findByIndex: async (_tenant, index) => {
            asked.push(index)
            await new Promise<void>((resolve) => answers.push(resolve))
            return { ...pendingIntent, derivationIndex: index }
          },
        },
      },
    })
    const { socket, received, ended } = dial(service)
    const ask = (index: number) =>
      `GET /status?index=${index} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${API_KEY}\r\n\r\n`
    socket.write(ask(1) + ask(2) + ask(3))
    for (const index of [1, 2]) {
      await expect.poll(() => answers.length).toBe(index)
      expect(asked).toHaveLength(index)
      answers[index - 1]?.()
      await expect.poll(received).toContain(`"derivation_index":${index}`)
    }
    // The last request is under way when the client leaves, and the next request is not handled any more.
    await expect.poll(() => answers.length).toBe(3)
    socket.write(ask(4))
    const logged = service.logLines.length
    socket.destroy()
    await ended
    await expect.poll(() => service.logLines.length).toBeGreaterThan(logged)
    answers[2]?.()
    expect((await service.get('/')).status).toBe(200)
    expect(asked).toEqual([1, 2, 3])
  })
})

describe('the service stopping', () => {
  it('lets a reply under way finish, and accepts nothing new', async () => {
    let answer: () => void = () => undefined
    const asked = Promise.withResolvers<void>()
    const service = await startTestService({
      services: {
        intents: {
          findByIndex: async () => {
            asked.resolve()
            await new Promise<void>((resolve) => {
              answer = resolve
            })
            return pendingIntent
          },
        },
      },
    })
    const reply = service.get('/status?index=42', withKey())
    await asked.promise
    const closed = service.close()
    await expect(service.get('/config')).rejects.toThrow()
    answer()
    const started = performance.now()
    expect((await reply).status).toBe(200)
    await closed
    // The client keeps its connection alive; the service does not wait for it.
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  it('cuts off replies that do not finish in time', async () => {
    const asked = Promise.withResolvers<void>()
    const service = await startTestService({
      services: {
        intents: {
          findByIndex: () => {
            asked.resolve()
            return new Promise(() => undefined)
          },
        },
      },
    })
    const reply = service.get('/status?index=42', withKey())
    await asked.promise
    await Promise.all([service.close(50), expect(reply).rejects.toThrow()])
  })

  it('does not wait for idle connections', async () => {
    const service = await startTestService()
    const { socket, received } = dial(service)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await expect.poll(received).toContain('200 OK')
    const started = performance.now()
    await service.close()
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})

it('a port in use is an error at once', async () => {
  const service = await start({})
  const { startServer } = await import('#server/server.ts')
  const at = { port: service.port, host: '127.0.0.1', operatorPort: null }
  await expect(startServer(service.parts, at)).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
