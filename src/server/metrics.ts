// Metrics for the operator: of the process, and of each route.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Finished } from '#server/requests.ts'

export type Labels<Label extends string> = Readonly<Record<Label, string>>
export type Row<Label extends string> = { readonly of: Labels<Label>; readonly value: number }

export type Metrics = {
  observe(finished: Finished): void
  /** Counted when the metrics are read; NaN when counting fails. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** The same with a series for each value of a label, each by its count. There is none when counting fails. */
  gauges(name: string, help: string, label: string, read: () => Promise<Readonly<Record<string, number>>>): void
  /**
   * Returns a function that increments the counter for a value of its label. Each series begins at 0, so that it has a
   * rate.
   */
  counter<Value extends string>(
    name: string,
    help: string,
    label: string,
    values: readonly Value[],
  ): (value: Value) => void
  /** A gauge with several labels: a series for each row. There is none when reading fails. */
  table<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    read: () => Promise<readonly Row<Label>[]>,
  ): void
  /** The same as a counter, of figures that grow while the process lives. */
  totals: Metrics['table']
  /** Returns a function that increments the counter for its labels. */
  count<Label extends string>(name: string, help: string, labels: readonly Label[]): (of: Labels<Label>) => void
  /** Returns a function that observes a time, in milliseconds; the series are in seconds. */
  times<Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
  ): (of: Labels<Label>, ms: number) => void
  text(): Promise<string>
  readonly contentType: string
}

/** From a fast chain to a day of retries, in seconds. */
const TIMES = [0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 10, 15, 30, 60, 300, 1_800, 7_200, 86_400]

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'How long requests took, by route.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  })
  return {
    observe: ({ method, route, status, ms }) => seconds.labels(method, route, String(status)).observe(ms / 1000),
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect: async function collect() {
          this.set(await Promise.try(read).catch(() => Number.NaN))
        },
      })
    },
    gauges(name, help, label, read) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        collect: async function collect() {
          this.reset()
          for (const [value, count] of Object.entries(await Promise.try(read).catch(() => ({}))))
            this.labels(value).set(count)
        },
      })
    },
    counter(name, help, label, values) {
      const counter = new Counter({ name, help, labelNames: [label], registers: [registry] })
      for (const value of values) counter.labels(value).inc(0)
      return (value) => counter.labels(value).inc()
    },
    table(name, help, labels, read) {
      new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers: [registry],
        collect: async function collect() {
          const rows = await Promise.try(read).catch(() => [])
          this.reset()
          for (const { of, value } of rows) this.set(of, value)
        },
      })
    },
    totals(name, help, labels, read) {
      new Counter({
        name,
        help,
        labelNames: [...labels],
        registers: [registry],
        collect: async function collect() {
          const rows = await Promise.try(read).catch(() => [])
          this.reset()
          for (const { of, value } of rows) this.inc(of, value)
        },
      })
    },
    count(name, help, labels) {
      const counter = new Counter({ name, help, labelNames: [...labels], registers: [registry] })
      return (of) => counter.inc(of)
    },
    times(name, help, labels) {
      const histogram = new Histogram({ name, help, labelNames: [...labels], buckets: TIMES, registers: [registry] })
      return (of, ms) => histogram.observe(of, Math.max(0, ms) / 1_000)
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
