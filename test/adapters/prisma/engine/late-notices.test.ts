import { expect, test } from 'vitest'
import type { Parameter } from '#adapters/prisma/engine/engine.ts'
import { createLateNotices } from '#adapters/prisma/engine/late-notices.ts'

/** A database whose statements end when the test says so; each is shown as its notices. */
function openStatements() {
  const statements: {
    readonly notices: readonly (readonly [channel: unknown, payload: unknown])[]
    end: () => void
    fail: () => void
  }[] = []
  const db = {
    query<Row extends object>(_text: string, [channels, payloads]: readonly Parameter[] = []): Promise<Row[]> {
      const ended = Promise.withResolvers<Row[]>()
      const names = Array.isArray(channels) ? channels : []
      const texts: readonly unknown[] = Array.isArray(payloads) ? payloads : []
      statements.push({
        notices: names.map((name, at) => [name, texts[at]]),
        end: () => ended.resolve([]),
        fail: () => ended.reject(new Error('the database is away')),
      })
      return ended.promise
    },
  }
  return { db, statements, announce: createLateNotices(db) }
}

test('ids that arrive while a notice is being sent share the next notice', async () => {
  const { announce, statements } = openStatements()
  announce('created', ['a'])
  announce('created', ['b'])
  announce('created', ['c'])
  announce('due')
  expect(statements.map(({ notices }) => notices)).toEqual([[['created', 'a']]])
  statements[0]?.end()
  await expect
    .poll(() => statements[1]?.notices)
    .toEqual([
      ['created', 'b,c'],
      ['due', ''],
    ])
  statements[1]?.end()
  announce('due')
  await expect.poll(() => statements[2]?.notices).toEqual([['due', '']])
})

test('no notice is longer than PostgreSQL takes', async () => {
  const { announce, statements } = openStatements()
  const ids = Array.from({ length: 400 }, () => crypto.randomUUID())
  announce('created', ids)
  const payloads = statements[0]?.notices.map(([, payload]) => String(payload)) ?? []
  expect(payloads.join(',')).toBe(ids.join(','))
  for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000)
})

test('a notice that fails is lost, and the next one is sent', async () => {
  const { announce, statements } = openStatements()
  announce('created', ['a'])
  statements[0]?.fail()
  await expect
    .poll(() => {
      announce('created', ['b'])
      return statements.length
    })
    .toBeGreaterThan(1)
  expect(statements[1]?.notices[0]?.[0]).toBe('created')
})

test('no ids are no notice', () => {
  const { announce, statements } = openStatements()
  announce('created', [])
  expect(statements).toEqual([])
})
