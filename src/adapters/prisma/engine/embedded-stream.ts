// The embedded PostgreSQL as pg reaches it: a stream that carries the messages of PostgreSQL's protocol, as a socket does.
import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'

type Done = (error?: Error | null) => void

/** The first byte of the message that ends a connection. */
const TERMINATE = 'X'.charCodeAt(0)

/** For `stream` in the settings of pg. Closing it leaves the database open. */
export class EmbeddedStream extends Duplex {
  readonly #pglite: PGlite

  constructor(pglite: PGlite) {
    super()
    this.#pglite = pglite
  }

  connect(): void {
    process.nextTick(() => this.emit('connect'))
  }

  /** Messages that pg sends together run together. */
  override _writev(chunks: ReadonlyArray<{ readonly chunk: Buffer }>, done: Done): void {
    this.#run(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => done(), done)
  }

  override _write(messages: Buffer, _: unknown, done: Done): void {
    this.#run(messages).then(() => done(), done)
  }

  /** The database runs in this process, so it has answered when its promise resolves. */
  async #run(messages: Buffer): Promise<void> {
    if (messages[0] === TERMINATE) return
    const answer: Buffer[] = []
    const onRawData = (bytes: Uint8Array): void => void answer.push(Buffer.from(bytes))
    await this.#pglite.execProtocolRawStream(messages, { syncToFs: false, onRawData })
    this.push(Buffer.concat(answer))
  }

  override _read(): void {}

  override _final(done: Done): void {
    this.push(null)
    done()
  }

  // What pg asks of a socket.
  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}
}
