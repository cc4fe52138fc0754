// A thread that answers in the order in which it is asked. It starts with the first question, and again with the next one
// after it has ended.
import { type Transferable, Worker } from 'node:worker_threads'

type ThreadOptions<Message> = {
  readonly file: URL
  readonly name: string
  /** Given to the thread as `workerData`. */
  readonly data?: unknown
  /** Returns the first message to a thread that has just started. */
  readonly greeting?: () => Message
}

type Asked<Answer> = { readonly resolve: (answer: Answer) => void; readonly reject: (error: unknown) => void }

export class Thread<Message, Answer> {
  readonly #options: ThreadOptions<Message>
  #worker: Worker | null = null
  #isClosed = false
  #asked: Asked<Answer>[] = []

  /** Creates the thread of a file that sends one message back for each message that is asked. It keeps no process alive. */
  constructor(options: ThreadOptions<Message>) {
    this.#options = options
  }

  /** Sends a message that is answered. `transfer` is no longer usable here. Rejects when the thread ends meanwhile. */
  ask(message: Message, transfer: readonly Transferable[] = []): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new Error(`the thread ${this.#options.name} was ended`)
      this.#worker ??= this.#start()
      this.#worker.postMessage(message, transfer)
      this.#asked.push({ resolve, reject })
    })
  }

  /** Sends a message that is not answered. Without a running thread it does nothing. */
  send(message: Message): void {
    this.#worker?.postMessage(message)
  }

  /** Ends the thread. A later question rejects. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const { file, name, data, greeting } = this.#options
    const worker = new Worker(file, { name, workerData: data })
    worker.unref()
    let failure: unknown = new Error(`the thread ${name} ended`)
    worker.on('message', (answer: Answer) => this.#asked.shift()?.resolve(answer))
    worker.on('error', (error) => {
      failure = error
    })
    worker.once('exit', () => this.#end(failure))
    if (greeting !== undefined) worker.postMessage(greeting())
    return worker
  }

  #end(failure: unknown): void {
    const unanswered = this.#asked
    this.#asked = []
    this.#worker = null
    for (const { reject } of unanswered) reject(failure)
  }
}
