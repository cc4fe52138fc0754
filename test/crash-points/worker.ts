// A thread that goes through flows, one after the other, for as long as it is given some.
import { parentPort } from 'node:worker_threads'
import { FLOWS } from './flows.ts'
import { survey } from './survey.ts'

export type Task = { readonly name: string; readonly pairStride: number }

parentPort?.on('message', ({ name, pairStride }: Task) => {
  const flow = FLOWS.find((one) => one.name === name)
  if (flow === undefined) throw new Error(`there is no flow ${name}`)
  void survey(flow, { pairStride, tempi: 'all' }).then((done) => parentPort?.postMessage(done))
})
