// Deposit addresses for many creates at once. Deriving one takes as long as a quarter of everything else that a create
// does, so in a burst a thread of its own does it, while this one goes on serving requests.
import { Worker } from 'node:worker_threads'
import type { Address } from '#core/chain/types.ts'
import type { KeyPath } from '#core/transfers/plan.ts'
import type { DepositKeys } from '#ports/chain.ts'

export type AddressDeriver = {
  addressOf(path: KeyPath): Promise<Address>
  /** Ends the thread. What is asked afterwards is derived without one. */
  close(): Promise<void>
}

/** Fewer within one turn of the event loop are derived at once: to hand them over would take as long. */
const WORTH_A_THREAD = 4

/** `seed` is the one that `keys` derive from. The thread starts with the first burst. */
export function createAddressDeriver(seed: Uint8Array, keys: Pick<DepositKeys, 'addressOf'>): AddressDeriver {
  let asked: Asked[] = []
  let thread: Thread | null = null
  let closed = false

  const deriveHere = (batch: readonly Asked[]): void => {
    for (const { path, resolve, reject } of batch) {
      try {
        resolve(keys.addressOf(path))
      } catch (error) {
        reject(error)
      }
    }
  }

  const startThreadOnce = (): Thread => {
    thread ??= startThread(seed, (unanswered) => {
      thread = null
      deriveHere(unanswered)
    })
    return thread
  }

  const flush = (): void => {
    const batch = asked
    asked = []
    if (closed || batch.length < WORTH_A_THREAD) deriveHere(batch)
    else startThreadOnce().derive(batch)
  }

  return {
    addressOf: (path) =>
      new Promise((resolve, reject) => {
        if (asked.push({ path, resolve, reject }) === 1) setImmediate(flush)
      }),
    async close() {
      closed = true
      await thread?.end()
    },
  }
}

type Asked = {
  readonly path: KeyPath
  readonly resolve: (address: Address) => void
  readonly reject: (error: unknown) => void
}

type Thread = { derive(batch: readonly Asked[]): void; end(): Promise<unknown> }

/** `onEnd` gets what a thread that ended, for whatever reason, was still asked for. */
function startThread(seed: Uint8Array, onEnd: (unanswered: readonly Asked[]) => void): Thread {
  const worker = new Worker(new URL('./address-thread.ts', import.meta.url), { workerData: seed, name: 'addresses' })
  // Nothing waits for it but promises, and they do not keep a process alive either.
  worker.unref()
  const underWay: (readonly Asked[])[] = []
  worker.on('message', (addresses: readonly Address[]) => {
    const batch = underWay.shift() ?? []
    for (const [at, { resolve, reject }] of batch.entries()) {
      const address = addresses[at]
      if (address === undefined) reject(new Error('the thread answered fewer addresses than it was asked for'))
      else resolve(address)
    }
  })
  // Whatever it was is found again, and told, where the unanswered ones are derived.
  worker.on('error', () => {})
  worker.once('exit', () => onEnd(underWay.flat()))
  return {
    derive(batch) {
      underWay.push(batch)
      worker.postMessage(batch.map(({ path }) => path))
    },
    end: () => worker.terminate(),
  }
}
