// The thread that address-deriver.ts hands its bursts to: paths in, their addresses out, in the same order.
import { parentPort, workerData } from 'node:worker_threads'
import type { KeyPath } from '#core/transfers/plan.ts'
import { createKeyTree } from './key-tree.ts'

const { addressOf } = createKeyTree(workerData)

parentPort?.on('message', (asked: string) => {
  const paths: readonly KeyPath[] = JSON.parse(asked)
  parentPort?.postMessage(JSON.stringify(paths.map(addressOf)))
})
