// A Surfpool as a developer runs it, without the front of the embedded chain. It runs in a thread, because its start
// blocks.
import { Worker } from 'node:worker_threads'
import { SURFNET_PACKAGE } from '#sandbox/chain/surfnet.ts'

export type BareSurfpool = { readonly rpcUrl: string; readonly wsUrl: string; stop(): Promise<void> }

const PROGRAM = `
const { createRequire } = require('node:module')
const { parentPort, workerData } = require('node:worker_threads')
const { Surfnet } = createRequire(workerData.from)(workerData.name)
const { slotTimeMs } = workerData
const surfnet = Surfnet.startWithConfig({ offline: true, blockProductionMode: 'clock', slotTimeMs })
setInterval(() => surfnet.drainEvents(), 200)
parentPort.postMessage({ rpcUrl: surfnet.rpcUrl, wsUrl: surfnet.wsUrl })
`

export async function startBareSurfpool(slotTimeMs: number): Promise<BareSurfpool> {
  const workerData = { name: SURFNET_PACKAGE, from: import.meta.filename, slotTimeMs }
  const thread = new Worker(PROGRAM, { eval: true, workerData })
  const urls = await new Promise<{ rpcUrl: string; wsUrl: string }>((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', reject)
  })
  return {
    ...urls,
    async stop() {
      await thread.terminate()
    },
  }
}
