// A proxy to a server that a test can break and restore.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

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
  const server = createServer((near) => {
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
