// The thread of block-matcher.ts. A block is some megabytes of JSON, and three blocks arrive each second.
import { parentPort } from 'node:worker_threads'
import { AddressSet } from './address-set.ts'
import { matchAnswer } from './block-match.ts'
import type { ToBlockThread } from './block-matcher.ts'

const watched = new AddressSet()
const decoder = new TextDecoder()

parentPort?.on('message', (message: ToBlockThread) => {
  if (message.kind === 'watch') watched.add(message.fingerprints)
  else parentPort?.postMessage(matchAnswer(message.slot, decoder.decode(message.bytes), watched))
})
