// Runs one seed: a day with faults, then a world without faults, until everything has ended.
import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import { LAP_EVERY_MS } from '#services/detection/polling/watch-list.ts'
import { beginBilling } from './billing/people.ts'
import type { SimulatedDatabase } from './database.ts'
import type { Dice } from './dice.ts'
import { createFailovers } from './failovers.ts'
import type { FaultCounts } from './faults.ts'
import { accountNoticesOf, gatherFleet, spreadNews, withStolenLeases } from './fleet.ts'
import type { Instance } from './instance.ts'
import { createMishaps } from './mishaps.ts'
import { checkEnd, openWork } from './monitor/ending.ts'
import { createFindings, type Findings } from './monitor/findings.ts'
import { createMonitor, type Monitor } from './monitor/monitor.ts'
import { employOperator, fundFeePayer, walletRepair } from './operator.ts'
import type { People } from './people.ts'
import type { Plant } from './plants/plant.ts'
import { setStage } from './stage.ts'
import { live } from './stories.ts'
import { createTrouble } from './strangers.ts'
import { DAWN, passTo, stopTheClock, virtualNow } from './virtual-time.ts'
import { createGround, type Ground, type Listener } from './world.ts'

// Passes a simulated day moment by moment: in short steps while something happens, and in longer steps while nothing
// does.

/** The pause while a transaction is under way. */
const MAX_BUSY_PAUSE_MS = 25_000

type Period = {
  /** The instances whose jobs are woken. */
  readonly instances: () => readonly Instance[]
  readonly onMoment: () => void
  readonly isOver: () => Promise<boolean>
  readonly isBusy: () => boolean
  /** The longest pause between two moments, in milliseconds. */
  readonly longest: number
  /** How many moments the period may take, and how many steps the life, before something must be stuck. */
  readonly most: { readonly moments: number; readonly steps: number }
}

/** Returns true when the period ended; false when a rule was broken or the period takes too many steps. */
async function passMoments(ground: Ground, findings: Findings, period: Period): Promise<boolean> {
  const { scheduler, dice: all } = ground
  const dice = all.stream(`moments from ${virtualNow()}`)
  let pause = 2_000
  let nextMoment = virtualNow()
  for (let moments = 0; moments < period.most.moments; ) {
    if (findings.violations.length > 0 || scheduler.steps > period.most.steps) return false
    if (await scheduler.step()) {
      ground.catchUp()
      continue
    }
    if (ground.stirred()) {
      pause = dice.between(2_000, 20_000)
      nextMoment = Math.min(nextMoment, virtualNow() + pause)
    }
    const due = scheduler.nextDue()
    passTo(Math.min(nextMoment, due ?? nextMoment))
    ground.catchUp()
    if (virtualNow() < nextMoment) continue
    if (await period.isOver()) return true
    moments += 1
    period.onMoment()
    for (const instance of period.instances()) if (dice.chance(0.75)) instance.tick(virtualNow())
    const longest = period.isBusy() ? MAX_BUSY_PAUSE_MS : period.longest
    pause = Math.min(Math.ceil(pause * (2 + 2 * dice.fraction())), longest)
    nextMoment = Math.min(virtualNow() + pause, ground.nextLook() ?? Number.POSITIVE_INFINITY)
  }
  return false
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A shorter day where blocks are read, because each block costs a call. */
const BLOCK_DAY_MS = 3 * HOUR_MS
/** The time after the faults and the last transfer, in which every address is read once more. */
const AFTERMATH_MS = 3 * HOUR_MS
/** The longest time between two readings of an address. */
const LONGEST_UNREAD_MS = LAP_EVERY_MS.old
/** While nothing is due, a season is divided into at least as many pauses. */
const LOOKS_IN_A_SEASON = 60
const POLLING: readonly DepositSourceKind[] = ['polling']

export type Outcome = {
  readonly seed: number
  readonly hash: string
  readonly days: number
  readonly steps: number
  readonly faults: FaultCounts
  readonly evaluations: Findings['evaluations']
  readonly violations: Findings['violations']
  readonly transitions: Readonly<Record<string, number>>
  readonly stories: readonly string[]
  readonly trace: readonly string[]
}

/** What a seed has also when it would not draw it. */
export type Wanted = { readonly subscriptions: boolean; readonly failovers: boolean }

export async function runSeed(
  database: SimulatedDatabase,
  seed: number,
  plant: Plant | null,
  wanted: Wanted,
): Promise<Outcome> {
  stopTheClock()
  await database.reset()
  const listeners: Listener[] = []
  const ground = createGround(seed, listeners)
  const findings = createFindings(ground.trace.note)
  const stage = await setStage(ground, database, plant?.subscriptions === true || wanted.subscriptions)
  const mishaps = createMishaps(ground, stage)
  const season = stage.billing?.season ?? null
  // A season has too many blocks to read.
  const sources = season === null ? drawSources(ground.dice.stream('deposit sources')) : POLLING
  const day = sources.includes('blocks') ? BLOCK_DAY_MS : DAY_MS
  const length = Math.max(day, season?.lengthMs ?? 0)
  const hooks = {
    instances: () => fleet.instances(),
    keepKnowledge: () => monitor.keep(),
    keepAllowances: () => subscriptions?.keepAllowances() ?? (() => {}),
  }
  const failovers = createFailovers(
    ground,
    database,
    hooks,
    plant?.failovers === true || wanted.failovers,
    season !== null,
  )
  const operator = employOperator(() => people, ground, database.db, mishaps.thawSome, day)
  const monitor = createMonitor(ground, stage, database.db, findings, {
    onChangeNotice(intentId, kind) {
      spreadNews(ground, fleet, intentId, kind)
      trouble.onChanged(intentId)
    },
    onWritten: failovers.onWritten,
    onSigned: mishaps.grief,
    onStopped: operator.onStopped,
  })
  const trouble = createTrouble(ground, stage, { addresses: monitor.addresses, statusOf: monitor.changes.statusOf })
  const given = failovers.withTimeline(stage.ports)
  const world = plant?.below?.(given, ground) ?? given
  const ports = monitor.watch(withStolenLeases(ground, database.db, world))
  const { keys, terms, refundBudget } = stage
  const fleet = gatherFleet(findings, {
    ground,
    ports,
    keys,
    terms,
    refundBudget,
    plant,
    sources,
    billing: stage.billing,
  })
  listeners.push(monitor, accountNoticesOf(ground, fleet))
  fleet.start()
  if (ground.dice.chance(0.6)) fleet.start()

  const people: People = { ground, stage, service: fleet.service, monitor, findings }
  const stories = beginStories(people, day)
  const subscriptions =
    stage.billing === null || monitor.subscriptions === null
      ? null
      : beginBilling(people, stage.billing, monitor.subscriptions, () => {
          for (const { carrier } of fleet.instances()) carrier.kill()
        })
  const common = {
    instances: fleet.instances,
    isBusy: monitor.attempts.areUnderWay,
    most:
      season === null
        ? { moments: 500, steps: sources.includes('blocks') ? 40_000 : 25_000 }
        : { moments: 4_000, steps: 200_000 },
  }
  await passMoments(ground, findings, {
    ...common,
    onMoment() {
      mishaps.strike(fleet.instances(), [...monitor.addresses.values()])
      trouble.strike()
    },
    isOver: async () => virtualNow() >= DAWN + length,
    longest: Math.max(4 * HOUR_MS, Math.ceil(length / LOOKS_IN_A_SEASON)),
  })

  ground.faults.stop()
  mishaps.heal(fleet.instances())
  subscriptions?.heal()
  fundFeePayer(people)
  const repairWallets = walletRepair(people)
  const left = () => openWork({ db: database.db, ground, stage, monitor })
  let quietSince = virtualNow()
  const ended = await passMoments(ground, findings, {
    ...common,
    onMoment: () => {},
    async isOver() {
      const open = await left()
      repairWallets(open)
      await operator.retryReserves()
      const reading = fleet.instances().flatMap((instance) => [...instance.reading])
      const isReading = reading.some((intentId) => !monitor.isBelowBooks(intentId))
      if (!stories.over() || subscriptions?.over() === false || open.length > 0 || isReading) quietSince = virtualNow()
      // An instance may sleep through all moments of the aftermath.
      const isAllRead = fleet.instances().some(({ wokenAt }) => wokenAt >= quietSince + LONGEST_UNREAD_MS)
      return isAllRead && virtualNow() >= quietSince + AFTERMATH_MS
    },
    longest: HOUR_MS,
  })
  if (findings.violations.length === 0) {
    const open = await left()
    findings.check('everything ends', ended, () => `after ${ground.scheduler.steps} steps: ${open.join('; ')}`)
  }
  if (findings.violations.length === 0)
    await checkEnd({ ground, stage, monitor, findings, db: database.db, ports: world })
  return outcomeOf(seed, ground, findings, monitor, stories.reported())
}

/**
 * On most days deposits are found by addresses, on some by blocks, and on some by both, which changes with the
 * instances.
 */
function drawSources(dice: Dice): readonly DepositSourceKind[] {
  return dice.pick([...Array<readonly DepositSourceKind[]>(6).fill(['polling']), ['blocks'], ['polling', 'blocks']])
}

function beginStories(people: People, day: number) {
  const dice = people.ground.dice.stream('stories')
  const reported: string[] = []
  const count = dice.between(1, 3)
  for (let number = 1; number <= count; number += 1) {
    const at = number === 1 ? DAWN + 1_000 : DAWN + dice.between(0, Math.floor((day * 5) / 6))
    const own = dice.stream(String(number))
    void people.ground.scheduler.at(at, `story ${number} begins`).then(async () => {
      reported.push(await live(people, own, number))
    })
  }
  return { reported: () => reported, over: () => reported.length === count }
}

function outcomeOf(
  seed: number,
  ground: Ground,
  findings: Findings,
  monitor: Monitor,
  stories: readonly string[],
): Outcome {
  return {
    seed,
    hash: ground.trace.hash(),
    days: (virtualNow() - DAWN) / DAY_MS,
    steps: ground.scheduler.steps,
    faults: ground.faults.counts,
    evaluations: findings.evaluations,
    violations: findings.violations,
    transitions: Object.fromEntries(monitor.changes.reached),
    stories,
    trace: ground.trace.lines(),
  }
}
