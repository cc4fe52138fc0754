// Prints tables and lines for people, or JSON for programs.

export class Output {
  readonly isJson: boolean

  constructor(isJson: boolean) {
    this.isJson = isJson
  }

  /** Prints a line for people. Programs read JSON, and do not get it. */
  say(line: string): void {
    if (!this.isJson) console.log(line)
  }

  /** Prints an object: JSON of all of it, or a line for each of these fields that it has. */
  show(object: object, fields: readonly string[]): void {
    const shown = Object.entries(object).filter(([name]) => fields.includes(name))
    const width = Math.max(...shown.map(([name]) => name.length))
    const lines = shown.map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`)
    console.log(this.isJson ? asJson(object) : lines.join('\n'))
  }

  /** Prints a table with these columns, or one JSON object a line. */
  table(rows: readonly object[], columns: readonly string[]): void {
    const cells = [columns, ...rows.map((row) => columns.map((column) => cell(Object(row)[column])))]
    const widths = columns.map((_column, at) => Math.max(...cells.map((line) => (line[at] ?? '').length)))
    const lines = cells.map((line) => line.map((one, at) => one.padEnd(widths[at] ?? 0)).join('  '))
    const text = this.isJson ? rows.map(asJson).join('\n') : rows.length === 0 ? 'none' : lines.join('\n')
    if (text !== '') console.log(text)
  }
}

/** An amount is text, as in webhooks. */
export const asJson = (value: object): string =>
  JSON.stringify(value, (_name, one) => (typeof one === 'bigint' ? String(one) : one))

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return typeof value === 'object' ? asJson(value) : String(value)
}
