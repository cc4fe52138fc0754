// One seed: a day with its faults, then a world that is well again, until everything has come to an end.

import type { SimulatedDatabase } from './database.ts'
import type { FaultCounts } from './faults.ts'
import { type Instance, startInstance } from './instance.ts'
import { createMishaps } from './mishaps.ts'
import { checkEnd, openWork } from './monitor/ending.ts'
import { createFindings, type Findings } from './monitor/findings.ts'
import { createMonitor, type Monitor } from './monitor/monitor.ts'
import { employOperator, fundFeePayer } from './operator.ts'
import type { People } from './people.ts'
import type { Plant } from './plants/plant.ts'
import { replaced, type WorldPorts } from './ports.ts'
import { setStage } from './stage.ts'
import { live } from './stories.ts'
import { DAWN, passTo, stopTheClock, virtualNow } from './virtual-time.ts'
import { createGround, type Ground, type Listener } from './world.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** After the faults: long enough for every address to be looked at once more. */
/** While a transaction is on its way. */
const LONGEST_BUSY_PAUSE_MS = 25_000
const AFTERMATH_MS = 3 * HOUR_MS
const MOST_MOMENTS = 500
const MOST_STEPS = 20_000

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

export async function runSeed(database: SimulatedDatabase, seed: number, plant: Plant | null): Promise<Outcome> {
  stopTheClock()
  await database.reset()
  const listeners: Listener[] = []
  const ground = createGround(seed, listeners)
  const findings = createFindings(ground.trace.note)
  const stage = await setStage(ground, database)
  const fleet: Fleet = { instances: [], born: 0 }
  const tellNews = (intentId: string) => spreadNews(ground, fleet, intentId)
  const mishaps = createMishaps(ground, stage)
  const operator = employOperator(() => people, ground, database.db, mishaps.thawSome)
  const monitor = createMonitor(ground, stage, database.db, findings, {
    onNews: tellNews,
    onSigned: mishaps.grief,
    onStopped: operator.onStopped,
  })
  listeners.push(monitor, touchesOf(ground, fleet))
  const world = plant?.below?.(stage.ports, ground) ?? stage.ports
  const ports = monitor.watch(withStolenLeases(ground, database.db, world))
  const start = () => {
    fleet.born += 1
    const instance = startInstance({
      ground,
      name: `#${fleet.born}`,
      ports,
      keys: stage.keys,
      terms: stage.terms,
      plant,
      onDeath: (name) => {
        fleet.instances = fleet.instances.filter((one) => one.name !== name)
        const again = virtualNow() + ground.dice.between(500, 90_000)
        void ground.scheduler.at(again, 'an instance starts').then(start)
      },
      onError: (error, context) => noteError(ground, findings, error, context),
    })
    fleet.instances.push(instance)
  }
  start()
  if (ground.dice.chance(0.6)) start()

  const service = async (): Promise<Instance> => {
    while (fleet.instances.length === 0) await ground.scheduler.at(virtualNow() + 1_000, 'a client waits')
    return ground.dice.pick(fleet.instances)
  }
  const people: People = { ground, stage, service, monitor, findings }
  const stories = beginStories(people)
  const addresses = () => [...monitor.addresses.values()]
  await passTheDay(ground, fleet, findings, {
    onMoment: () => mishaps.strike(fleet.instances, addresses()),
    isBusy: monitor.attempts.areUnderWay,
  })

  ground.faults.stop()
  mishaps.heal(fleet.instances)
  fundFeePayer(people)
  const isOver = async () => stories.over() && (await openWork({ db: database.db, ground, stage })).length === 0
  await seeItEnd(ground, fleet, findings, isOver, () => openWork({ db: database.db, ground, stage }))
  if (findings.violations.length === 0) await checkEnd({ ground, stage, monitor, findings, db: database.db })
  return outcomeOf(seed, ground, findings, monitor, stories.told())
}

/** Leases that others take while they are still held. */
function withStolenLeases({ faults }: Ground, db: SimulatedDatabase['db'], ports: WorldPorts): WorldPorts {
  const { leases, transfers } = ports
  return {
    ...ports,
    leases: replaced(leases, {
      async hold(name, holder, forMs) {
        if (faults.strikes('lease stolen')) await db.query('DELETE FROM leases WHERE name = $1', [name])
        return await leases.hold(name, holder, forMs)
      },
    }),
    transfers: replaced(transfers, {
      async claim(network, options) {
        if (faults.strikes('lease stolen'))
          await db.query('UPDATE transfers SET lease_until = NULL, next_attempt_at = $1', [options.now])
        return await transfers.claim(network, options)
      },
    }),
  }
}

type Fleet = { instances: Instance[]; born: number }

function beginStories(people: People) {
  const dice = people.ground.dice.stream('stories')
  const told: string[] = []
  const count = dice.between(1, 3)
  for (let number = 1; number <= count; number += 1) {
    const at = number === 1 ? DAWN + 1_000 : DAWN + dice.between(0, 20 * HOUR_MS)
    const own = dice.stream(String(number))
    void people.ground.scheduler.at(at, `story ${number} begins`).then(async () => {
      told.push(await live(people, own, number))
    })
  }
  return { told: () => told, over: () => told.length === count }
}

/** Jobs are woken, closely while something happens and ever less often while nothing does. */
async function passMoments(
  ground: Ground,
  fleet: Fleet,
  findings: Findings,
  options: {
    readonly onMoment: () => void
    readonly isOver: () => Promise<boolean>
    readonly isBusy: () => boolean
    readonly longest: number
    readonly most: number
  },
): Promise<boolean> {
  const { scheduler, dice: all } = ground
  const dice = all.stream(`moments from ${virtualNow()}`)
  let pause = 2_000
  let nextMoment = virtualNow()
  for (let moments = 0; moments < options.most; ) {
    if (findings.violations.length > 0 || scheduler.steps > MOST_STEPS) return false
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
    if (await options.isOver()) return true
    moments += 1
    options.onMoment()
    for (const instance of [...fleet.instances]) if (dice.chance(0.75)) instance.tick(virtualNow())
    const longest = options.isBusy() ? LONGEST_BUSY_PAUSE_MS : options.longest
    pause = Math.min(Math.ceil(pause * (2 + 2 * dice.fraction())), longest)
    nextMoment = Math.min(virtualNow() + pause, ground.nextLook() ?? Number.POSITIVE_INFINITY)
  }
  return false
}

async function passTheDay(
  ground: Ground,
  fleet: Fleet,
  findings: Findings,
  day: { readonly onMoment: () => void; readonly isBusy: () => boolean },
): Promise<void> {
  await passMoments(ground, fleet, findings, {
    ...day,
    isOver: async () => virtualNow() >= DAWN + DAY_MS,
    longest: 4 * HOUR_MS,
    most: MOST_MOMENTS,
  })
}

async function seeItEnd(
  ground: Ground,
  fleet: Fleet,
  findings: Findings,
  isDone: () => Promise<boolean>,
  whatIsLeft: () => Promise<readonly string[]>,
): Promise<void> {
  const earliest = virtualNow() + AFTERMATH_MS
  const ended = await passMoments(ground, fleet, findings, {
    onMoment: () => {},
    isOver: async () => virtualNow() >= earliest && (await isDone()),
    isBusy: () => false,
    longest: HOUR_MS,
    most: MOST_MOMENTS,
  })
  if (findings.violations.length === 0) {
    const left = await whatIsLeft()
    findings.check('everything ends', ended, () => `after ${ground.scheduler.steps} steps: ${left.join('; ')}`)
  }
}

/** Every other instance hears of a change, most of the time. */
function spreadNews(ground: Ground, fleet: Fleet, intentId: string): void {
  for (const { name } of fleet.instances) {
    if (ground.faults.strikes('notice lost')) continue
    void ground.scheduler
      .at(virtualNow() + ground.dice.between(0, 200), `news for ${name}`)
      .then(() => fleet.instances.find((one) => one.name === name)?.onNews([intentId]))
  }
}

/** Pushes of touched accounts, most of the time. */
function touchesOf(ground: Ground, fleet: Fleet): Listener {
  return {
    onSubmitted: () => {},
    onUndone: () => {},
    onLanded({ keys }) {
      for (const { name } of fleet.instances) {
        if (ground.faults.strikes('notice lost')) continue
        void ground.scheduler.at(virtualNow() + ground.dice.between(0, 2_000), `a push for ${name}`).then(() => {
          const instance = fleet.instances.find((one) => one.name === name)
          for (const key of keys) instance?.touch(key)
        })
      }
    },
  }
}

/** A day is full of errors; a programming mistake is none of them. */
function noteError(ground: Ground, findings: Findings, error: unknown, context: string): void {
  const text = error instanceof Error ? `${error.name}: ${error.message.split('\n').at(-1)}` : String(error)
  ground.trace.note(`error in ${context}: ${text}`)
  const isExpected = error instanceof Error && EXPECTED.has(error.name)
  findings.check(
    'nothing fails unexpectedly',
    isExpected,
    () => `${context}: ${error instanceof Error ? error.stack : text}`,
  )
}

const EXPECTED: ReadonlySet<string> = new Set(['ServiceError', 'DatabaseUnavailableError', 'ProviderFault'])

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
