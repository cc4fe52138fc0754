// The thread of the native runtime.
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import type { SurfnetSettings } from './surfnet.ts'

type NativeSurfnet = { readonly rpcUrl: string; readonly wsUrl: string; drainEvents(): unknown }
type NativePackage = { readonly Surfnet: { startWithConfig(config: object): NativeSurfnet } }

/** Left alone, the queue fills up and the runtime stops answering after about a thousand slots. */
const DRAIN_EVERY_MS = 200

const { package: name, originUrl, slotTimeMs }: SurfnetSettings = workerData
const native: NativePackage = createRequire(import.meta.url)(name)
const surfnet = native.Surfnet.startWithConfig({
  offline: false,
  remoteRpcUrl: originUrl,
  blockProductionMode: 'clock',
  slotTimeMs,
})
setInterval(() => surfnet.drainEvents(), DRAIN_EVERY_MS)
parentPort?.postMessage({ rpcUrl: surfnet.rpcUrl, wsUrl: surfnet.wsUrl })
