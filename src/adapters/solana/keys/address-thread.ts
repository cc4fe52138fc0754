// The thread of address-deriver.ts. It gets the seed when it starts.
import { parentPort, workerData } from 'node:worker_threads'
import type { Wanted } from './address-deriver.ts'
import { createKeyTree } from './key-tree.ts'

const { addressOf } = createKeyTree(workerData)

parentPort?.on('message', ({ network, account, indexes }: Wanted) =>
  parentPort?.postMessage(indexes.map((intent) => addressOf({ network, branch: 'deposit', account, intent }))),
)
