// A thread that surveys one flow after the other, as the main thread sends them.
import { parentPort } from 'node:worker_threads'
import { COURSES } from './flows.ts'
import { survey } from './survey.ts'

export type Task = { readonly name: string; readonly singleStride: number; readonly pairStride: number }

parentPort?.on('message', ({ name, singleStride, pairStride }: Task) => {
  const course = COURSES.find((one) => one.name === name)
  if (course === undefined) throw new Error(`there is no flow ${name}`)
  void survey(course, { singleStride, pairStride, paces: 'all' }).then((done) => parentPort?.postMessage(done))
})
