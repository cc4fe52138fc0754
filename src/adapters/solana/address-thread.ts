// The thread that address-deriver.ts hands its bursts to: paths in, their addresses out, in the same order.
import { parentPort, workerData } from 'node:worker_threads'
import type { KeyPath } from '#core/transfers/plan.ts'
import { createKeyTree } from './key-tree.ts'

const { addressOf } = createKeyTree(workerData)

parentPort?.on('message', (paths: readonly KeyPath[]) => parentPort?.postMessage(paths.map(addressOf)))
