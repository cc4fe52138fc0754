// The instances at work: one or two, which die and start again, receive change notices and account notices, and lose
// their leases.
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import { type ChangeNoticeKind, type Instance, type InstanceDeps, startInstance } from './instance.ts'
import { type Findings, noteError } from './monitor/findings.ts'
import { replaced, type WorldPorts } from './ports.ts'
import { virtualNow } from './virtual-time.ts'
import type { Ground, Listener } from './world.ts'

export type Fleet = {
  /** The living instances. */
  instances(): readonly Instance[]
  /** Starts an instance, and another in its place whenever it dies. */
  start(): void
  /** Returns an instance that answers; waits while there is none. */
  service(): Promise<Instance>
}

export function gatherFleet(
  findings: Findings,
  deps: Omit<InstanceDeps, 'name' | 'depositSource' | 'onDeath' | 'onError'> & {
    /** The settings of the instances. */
    readonly sources: readonly DepositSourceKind[]
  },
): Fleet {
  const { ground } = deps
  let living: readonly Instance[] = []
  let born = 0
  let source: DepositSourceKind | null = null
  const drawSource = (): DepositSourceKind => {
    const before = source
    source = ground.dice.pick(deps.sources)
    if (before !== null && before !== source) ground.faults.count('other source of deposits')
    return source
  }
  const start = (): void => {
    born += 1
    const instance = startInstance({
      ...deps,
      name: `#${born}`,
      depositSource: drawSource(),
      onDeath(name) {
        living = living.filter((one) => one.name !== name)
        const again = Math.max(virtualNow(), ground.downUntil) + ground.dice.between(500, 90_000)
        void ground.scheduler.at(again, 'an instance starts').then(start)
      },
      onError: (error, context) => noteError(ground, findings, error, context),
    })
    living = [...living, instance]
  }
  return {
    instances: () => living,
    start,
    async service() {
      while (living.length === 0)
        await ground.scheduler.at(Math.max(virtualNow(), ground.downUntil) + 1_000, 'a client waits')
      return ground.dice.pick(living)
    },
  }
}

type Living = Pick<Fleet, 'instances'>

/** Sends a change notice to every other instance, most of the time. */
export function spreadNews(ground: Ground, fleet: Living, intentId: string, kind: ChangeNoticeKind): void {
  for (const { name } of fleet.instances()) {
    if (ground.faults.strikes('notice lost')) continue
    void ground.scheduler.at(virtualNow() + ground.dice.between(0, 200), `notice for ${name}`).then(() =>
      fleet
        .instances()
        .find((one) => one.name === name)
        ?.onChangeNotice([intentId], kind),
    )
  }
}

/** Account notices for the accounts of landed transactions. Some are lost. */
export function accountNoticesOf(ground: Ground, fleet: Living): Listener {
  return {
    onSubmitted: () => {},
    onLanded({ keys, slot }) {
      for (const { name } of fleet.instances()) {
        if (ground.faults.strikes('notice lost')) continue
        void ground.scheduler
          .at(virtualNow() + ground.dice.between(0, 2_000), `account notice for ${name}`)
          .then(() => {
            const instance = fleet.instances().find((one) => one.name === name)
            for (const key of keys) instance?.notify(key, slot)
          })
      }
    },
  }
}

/** Lets instances take leases that others still have. */
export function withStolenLeases(
  { faults }: Pick<Ground, 'faults'>,
  db: Pick<Database, 'query'>,
  ports: WorldPorts,
): WorldPorts {
  const { leases, transfers } = ports
  return {
    ...ports,
    leases: replaced(leases, {
      async acquire(name, holder, forMs) {
        if (faults.strikes('lease stolen')) await db.query('DELETE FROM leases WHERE name = $1', [name])
        return await leases.acquire(name, holder, forMs)
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
