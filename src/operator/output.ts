// Formats results: one JSON object with the names of the wire, or tables and sentences for people.
import { isRecord } from '#core/json.ts'
import { isBaseUnits } from '#core/money/amounts.ts'
import { formatUnits } from '#core/money/conversion.ts'
import { snakeCase } from '#core/text.ts'

/** Converts camelCase to the snake_case of the wire, at every level. A bigint is written as an exact integer. */
export function toJson(result: object): string {
  return JSON.stringify(withWireNames(result), (_key, value) =>
    typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value,
  )
}

function withWireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withWireNames)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [snakeCase(name), withWireNames(part)]))
}

export type Cell = string | number | bigint | boolean | null | undefined

const shown = (cell: Cell): string => (cell === null || cell === undefined || cell === '' ? '-' : String(cell))

/** Formats a table with columns as wide as their content; `empty` when there is no row. */
export function table(headers: readonly string[], rows: readonly (readonly Cell[])[], empty: string): string {
  if (rows.length === 0) return empty
  const lines = [headers, ...rows.map((row) => row.map(shown))]
  return columns(lines).join('\n')
}

/** Formats one fact on each line, after its name. */
export const facts = (pairs: readonly (readonly [name: string, value: Cell])[]): string =>
  columns(pairs.map(([name, value]) => [`  ${name}`, shown(value)])).join('\n')

function columns(lines: readonly (readonly string[])[]): readonly string[] {
  const widths = (lines[0] ?? []).map((_cell, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Returns an amount in whole units, negative where it is; as it is where no asset could hold as much. */
export function wholeUnits(amount: bigint, decimals: number): string {
  const size = amount < 0n ? -amount : amount
  if (!isBaseUnits(size)) return `${amount} base units`
  return `${amount < 0n ? '-' : ''}${formatUnits(size, decimals)}`
}

/** Secrets, with the warning that belongs to them. */
export const shownOnce = (secrets: readonly (readonly [name: string, secret: string])[]): string =>
  `${facts(secrets)}\nShown now and never again: keep it where secrets are kept.`
