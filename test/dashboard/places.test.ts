// Alerts name commands, and the operator's pages lead to where a person does the same.
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { placesIn } from '#dashboard/operator/places.ts'

const ROOT = resolve(import.meta.dirname, '../../src/services/platform')
/** Subscriptions and charges have no page of the operator. */
const ONLY_COMMANDS = /^`(charge|subscription)/

it('each command of an alert leads to a place on the pages, but for those of subscriptions and charges', () => {
  const sources = globSync('*alert*.ts', { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'))
  const command = /`(?:transfer|held|halt|token|account|marketplace|charge|subscription) [^`$\n]+`/g
  const commands = sources.flatMap((source) => source.match(command) ?? [])
  expect(commands.length).toBeGreaterThan(5)
  expect(commands.filter((one) => placesIn(one).length === 0 && !ONLY_COMMANDS.test(one))).toEqual([])
})

it('two commands of one place are one link, and words without a command are none', () => {
  expect(placesIn('Read it in `transfer list --status held`, then use `transfer retry ID`.')).toEqual([
    'stoppedTransfers',
  ])
  expect(placesIn('Send SOL to the fee payer.')).toEqual([])
})
