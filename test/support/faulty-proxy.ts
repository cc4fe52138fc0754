// A proxy between a browser and the service, with the faults of networks and proxies that a test turns on.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'

/**
 * How an answer is lost. After the service has given it, a proxy answers in its place (`html`), or the connection breaks (`cut`).
 * `unsent`: the proxy answers, and the service gets nothing.
 */
type Loss = 'html' | 'cut' | 'unsent'

export type FaultyProxy = {
  readonly origin: string
  /** The names of the GraphQL operations that have come over HTTP. */
  readonly asked: readonly string[]
  /** How often a websocket was asked for. */
  upgrades(): number
  /** Passes no upgrade on from now. */
  refuseUpgrades(): void
  /** Keeps the websockets that are open, and passes nothing of them on. Later ones work. */
  silence(): void
  /** Loses the answers to a GraphQL operation; null loses none. */
  lose(operation: string, how: Loss | null): void
  /** Breaks everything and answers nothing, as a service that has stopped. */
  stop(): void
  restore(): void
  close(): Promise<void>
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const { hostname, port: targetPort } = new URL(target)
  const sockets = new Set<Socket>()
  let live = new Set<Socket>()
  const lost = new Map<string, Loss>()
  const asked: string[] = []
  let [upgrades, passesUpgrades, isStopped] = [0, true, false]
  const keep = (socket: Socket) => sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const [, operation = ''] = /\b(?:query|mutation) (\w+)/.exec(body.toString()) ?? []
    if (operation !== '') asked.push(operation)
    const { method, url, headers } = incoming
    const loss = lost.get(operation)
    const timeOut = () =>
      response.writeHead(504, { 'content-type': 'text/html' }).end('<html><h1>504 Gateway Time-out</h1></html>')
    if (loss === 'unsent') return void timeOut()
    const outgoing = request({ host: hostname, port: targetPort, method, path: url, headers }, (answer) => {
      if (loss === undefined) answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))
      else answer.resume().on('end', () => (loss === 'cut' ? response.destroy() : timeOut()))
    })
    outgoing.on('error', () => response.destroy()).end(body)
  }

  const server = createServer((incoming, response) => void pass(incoming, response).catch(() => response.destroy()))
  server.on('connection', (socket) => (isStopped ? socket.destroy() : keep(socket)))
  server.on('upgrade', ({ url, rawHeaders }, near: Socket, head) => {
    upgrades += 1
    if (!passesUpgrades) return void near.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    const far = connect(Number(targetPort), hostname)
    const lines = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('')
    far.write(`GET ${url} HTTP/1.1\r\n${lines}\r\n`)
    far.write(head)
    for (const socket of [near, far]) live.add(keep(socket) && socket)
    near.pipe(far)
    far.pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const stop = () => {
    isStopped = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    origin: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    asked,
    upgrades: () => upgrades,
    refuseUpgrades() {
      passesUpgrades = false
    },
    silence() {
      for (const socket of live) socket.unpipe().pause()
      live = new Set()
    },
    lose: (operation, how) => void (how === null ? lost.delete(operation) : lost.set(operation, how)),
    stop,
    restore() {
      isStopped = false
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        stop()
      }),
  }
}

// A proxy to a server that a test can break and restore.

export type UnsteadyProxy = {
  readonly port: number
  /** The number of connections accepted so far. */
  accepted(): number
  /** Breaks every connection and refuses new ones. */
  cut(): Promise<void>
  /** Accepts and keeps connections, but forwards nothing. */
  swallow(): void
  /** Misspells the word in what it forwards to the server, so that the server refuses the statement. */
  misspell(word: string): void
  /** Forwards again. Bytes dropped in between are lost, and their answer never arrives. */
  restore(): Promise<void>
  close(): Promise<void>
}

export async function startUnsteadyProxy(targetPort: number): Promise<UnsteadyProxy> {
  const sockets = new Set<Socket>()
  let swallowing = false
  let misspelled: string | undefined
  let accepted = 0
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const passedOn = (chunk: Buffer) => {
    const at = misspelled === undefined ? -1 : chunk.indexOf(misspelled)
    return at === -1 ? chunk : Buffer.from(chunk).fill('x', at, at + 1)
  }
  const server = createTcpServer((near) => {
    accepted += 1
    const far = connect(targetPort, '127.0.0.1')
    for (const socket of [near, far]) keep(socket)
    near.on('data', (chunk) => swallowing || far.write(passedOn(chunk))).on('close', () => far.destroy())
    far.on('data', (chunk) => swallowing || near.write(chunk)).on('close', () => near.destroy())
  })
  const listen = (port: number) => new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  const dropAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const stopListening = () =>
    new Promise<void>((done) => {
      server.close(() => done())
      dropAll()
    })
  await listen(0)
  const { port } = server.address() satisfies AddressInfo | string | null as AddressInfo

  return {
    port,
    accepted: () => accepted,
    cut: stopListening,
    swallow() {
      swallowing = true
    },
    misspell(word) {
      misspelled = word
    },
    async restore() {
      swallowing = false
      misspelled = undefined
      if (!server.listening) await listen(port)
    },
    close: stopListening,
  }
}
