// Log lines that a client can cause without limit.
import { describe, expect, it, vi } from 'vitest'
import { createLog } from '#server/log.ts'
import { createRepeatedLines } from '#server/repeated-lines.ts'

function capture() {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  return { log, lines: () => lines.map((line) => JSON.parse(line)) }
}

describe('repeated lines', () => {
  it('are written up to a number of each kind, then counted, with one line a minute', () => {
    vi.useFakeTimers()
    const { log, lines } = capture()
    const repeated = createRepeatedLines(log, { lines: 2, everyMs: 60_000, renewed: true })
    for (let time = 0; time < 1_000; time++) repeated.info('noise', { time }, 'ended')
    repeated.info('other', {}, 'ended')
    expect(lines()).toHaveLength(3)
    vi.advanceTimersByTime(60_000)
    expect(lines()).toHaveLength(4)
    expect(lines().at(-1)).toMatchObject({ kind: 'noise', leftOut: 998, msg: 'ended: lines left out' })
    vi.advanceTimersByTime(60_000)
    expect(lines()).toHaveLength(4)
    repeated.info('noise', {}, 'ended')
    expect(lines()).toHaveLength(5)
    repeated.close()
    vi.useRealTimers()
  })

  it('of a kind that is not renewed are only counted until a period has none', () => {
    vi.useFakeTimers()
    const { log, lines } = capture()
    const repeated = createRepeatedLines(log, { lines: 1, everyMs: 10_000, renewed: false })
    const fail = () => repeated.error('outage', {}, 'failed')
    const periods = [3, 2, 0, 1].map((failures) => {
      for (let time = 0; time < failures; time++) fail()
      vi.advanceTimersByTime(10_000)
      return lines().map(({ level, leftOut }) => [level, leftOut])
    })
    const [first, more, further] = [
      [50, undefined],
      [50, 2],
      [50, 2],
    ]
    expect(periods).toEqual([
      [first, more],
      [first, more, further],
      [first, more, further],
      [first, more, further, first],
    ])
    repeated.close()
    vi.useRealTimers()
  })

  it('of a kind that comes once in each period are written once, then counted', () => {
    vi.useFakeTimers()
    const { log, lines } = capture()
    const repeated = createRepeatedLines(log, { lines: 1, everyMs: 10_000, renewed: false })
    for (let period = 0; period < 3; period++) {
      repeated.error('outage', {}, 'failed')
      vi.advanceTimersByTime(10_000)
    }
    expect(lines().map(({ leftOut }) => leftOut)).toEqual([undefined, 1, 1])
    repeated.close()
    vi.useRealTimers()
  })

  it('the count of lines left out is written at the end', () => {
    const { log, lines } = capture()
    const repeated = createRepeatedLines(log, { lines: 1, everyMs: 60_000, renewed: true })
    for (let time = 0; time < 3; time++) repeated.info('noise', {}, 'ended')
    repeated.close()
    expect(lines().at(-1)).toMatchObject({ leftOut: 2 })
  })
})
