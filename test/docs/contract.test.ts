// docs/contract.md has the transitions of the code, with the same origin.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { TRANSITIONS } from '#core/payments/transitions.ts'

const page = readFileSync(new URL('../../docs/contract.md', import.meta.url), 'utf8')

test('the table of transitions is the one that the code enforces', () => {
  const [, rest = ''] = page.split('<!-- transitions -->\n')
  const [table = ''] = rest.split('\n\n')
  const rows = table.split('\n').slice(2)
  const documented = rows.map((row) =>
    row
      .split('|')
      .slice(1, 4)
      .map((cell) => cell.trim()),
  )
  const enforced = Object.entries(TRANSITIONS).flatMap(([from, targets]) =>
    Object.entries(targets).map(([to, origin]) => [from, to, origin]),
  )
  expect(documented.toSorted()).toEqual(enforced.toSorted())
})
