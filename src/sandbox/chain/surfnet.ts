// Starts the native Solana runtime in a thread of its own: its start-up blocks the thread that asks for it, while it
// asks this process where the chain stands.
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import type { Origin } from './origin.ts'
import { createUpstream, type Upstream } from './upstream.ts'

export type Surfnet = { readonly upstream: Upstream; readonly wsUrl: string; readonly stopped: Promise<string> }

const urls = z.object({ rpcUrl: z.url(), wsUrl: z.url() })

/** What its thread is started with. */
export type SurfnetSettings = { readonly package: string; readonly originUrl: string; readonly slotTimeMs: number }

/** The native package that this machine would need. */
export const SURFNET_PACKAGE = `@solana/surfpool-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`

export function hasSurfnetPackage(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch {
    return false
  }
}

/** It looks for a free port and then takes it; another process may have been quicker. */
const TRIES = 3

/** Rejects when the runtime does not come up. `stopped` resolves, with the reason, should it end by itself. */
export async function startSurfnet(originUrl: string, origin: Origin, slotTimeMs: number): Promise<Surfnet> {
  for (let tries = 1; ; tries += 1) {
    const workerData: SurfnetSettings = { package: SURFNET_PACKAGE, originUrl, slotTimeMs }
    const thread = new Worker(new URL('./surfnet-thread.ts', import.meta.url), { workerData })
    try {
      return await readiness(thread, origin)
    } catch (error) {
      await thread.terminate()
      if (tries === TRIES) throw new Error('the Solana runtime did not start', { cause: error })
    }
  }
}

async function readiness(thread: Worker, origin: Origin): Promise<Surfnet> {
  const started = Promise.withResolvers<unknown>()
  const stopped = Promise.withResolvers<string>()
  thread.once('message', started.resolve)
  thread.once('error', started.reject)
  thread.once('error', (error) => stopped.resolve(String(error)))
  thread.once('exit', () => {
    started.reject(new Error('the runtime ended'))
    stopped.resolve('the Solana runtime ended')
  })
  const { rpcUrl, wsUrl } = urls.parse(await started.promise)
  const upstream = createUpstream(rpcUrl)
  // Another program's runtime on the port is another chain.
  const hash: unknown = JSON.parse(await upstream.call('getGenesisHash'))
  if (hash !== origin.genesisHash) throw new Error('another process listens on the port of the runtime')
  return { upstream, wsUrl, stopped: stopped.promise }
}
