import { expect, test } from 'vitest'
import { Thread } from '#adapters/node/thread.ts'

/** Adds to a start, which the greeting sets; ends the thread at a negative number; throws at NaN. */
const ADDER = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort, workerData } from 'node:worker_threads'
  let start = workerData
  parentPort.on('message', ({ startAt, number }) => {
    if (startAt !== undefined) start = startAt
    else if (Number.isNaN(number)) throw new TypeError('not a number')
    else if (number < 0) process.exit()
    else parentPort.postMessage(start + number)
  })`)}`,
)

type Message = { readonly startAt: number } | { readonly number: number }

const adder = (greeting?: () => Message) =>
  new Thread<Message, number>({ file: ADDER, name: 'adder', data: 100, ...(greeting && { greeting }) })

test('a thread answers in the order in which it is asked, with the data it was started with', async () => {
  const thread = adder()
  const numbers = Array.from({ length: 50 }, (_, number) => number)
  expect(await Promise.all(numbers.map((number) => thread.ask({ number })))).toEqual(numbers.map((n) => 100 + n))
  await thread.close()
})

test('a message without an answer holds for the next questions; a thread that does not run gets none', async () => {
  const thread = adder()
  thread.send({ startAt: 1 })
  expect(await thread.ask({ number: 5 })).toBe(105)
  thread.send({ startAt: 1 })
  expect(await thread.ask({ number: 5 })).toBe(6)
  await thread.close()
})

test('a question is refused when the thread ends before the answer, and the next one starts it again', async () => {
  let start = 10
  const thread = adder(() => ({ startAt: start }))
  expect(await thread.ask({ number: 1 })).toBe(11)
  start = 20
  const unanswered = [thread.ask({ number: -1 }), thread.ask({ number: 1 })]
  for (const one of await Promise.allSettled(unanswered))
    expect(one).toMatchObject({ status: 'rejected', reason: { message: 'the thread adder ended' } })
  expect(await thread.ask({ number: 1 })).toBe(21)
  await thread.close()
})

test('a question that the thread fails at is refused with its error', async () => {
  const thread = adder()
  await expect(thread.ask({ number: Number.NaN })).rejects.toThrow('not a number')
  expect(await thread.ask({ number: 1 })).toBe(101)
  await thread.close()
})

test('a thread that was ended refuses questions, also the ones that it has not answered', async () => {
  const thread = adder()
  const waiting = thread.ask({ number: 1 })
  const closed = thread.close()
  await expect(waiting).rejects.toThrow('the thread adder ended')
  await closed
  await expect(thread.ask({ number: 1 })).rejects.toThrow('the thread adder was ended')
})
