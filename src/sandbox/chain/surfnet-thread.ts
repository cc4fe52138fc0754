// The thread of the native runtime.
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'

type NativeSurfnet = { readonly rpcUrl: string; readonly wsUrl: string; drainEvents(): unknown }
type NativePackage = { readonly Surfnet: { startWithConfig(config: object): NativeSurfnet } }

const settings = z.object({ package: z.string(), originUrl: z.url(), slotTimeMs: z.number() })

/** Left alone, the queue fills up and the runtime stops answering after about a thousand slots. */
const DRAIN_EVERY_MS = 200

const { package: name, originUrl, slotTimeMs } = settings.parse(workerData)
const native: NativePackage = createRequire(import.meta.url)(name)
const surfnet = native.Surfnet.startWithConfig({
  offline: false,
  remoteRpcUrl: originUrl,
  blockProductionMode: 'clock',
  slotTimeMs,
})
setInterval(() => surfnet.drainEvents(), DRAIN_EVERY_MS)
parentPort?.postMessage({ rpcUrl: surfnet.rpcUrl, wsUrl: surfnet.wsUrl })
