// Writes CSV (RFC 4180) in UTF-8 for spreadsheets, which take some texts for formulas.

import type { ExactNumber } from '#http/exact-json.ts'

/** null is an empty cell. An exact number is in digits. */
export type Cell = string | number | ExactNumber | null

const NUMBER = /^-?\d+(?:\.\d+)?$/
/**
 * Where a spreadsheet may begin to evaluate a text: at its begin, and after a sign at which spreadsheets of some languages begin a new
 * cell. Those of Japanese and Chinese read the wide signs as the narrow ones.
 */
const FORMULA = /^(?=[\t\r\n])|(^|[;\t\r\n])(?=[=+\-@＝＋－＠])/g
const SPECIAL = /[",\r\n]/

/** Returns a record with its line break. A text that a spreadsheet would evaluate gets an apostrophe in front; a number does not. */
export const csvRecord = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`

function cellText(cell: Cell): string {
  if (cell === null) return ''
  const text = String(cell)
  const safe = NUMBER.test(text) ? text : text.replace(FORMULA, "$1'")
  return SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
