// Every attack, in the order in which they run.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from '../attack.ts'
import { graphiqlReaders, idleConnections, slowRequests, streamReaders } from './connections.ts'
import { selections, sweepLeavers, wrongKeys } from './payments.ts'
import { bombs, fullLists, hosts, repeatedFields, uniqueDocuments } from './requests.ts'
import { exportReaders, logins, sharedKeys } from './tenants.ts'
import { wrongTokens } from './tokens.ts'
import { churn, connections, pings, violations } from './websockets.ts'

// The baseline of the measurement: the shop, the memory and the machine without an attack.

const nothing: Attack = {
  name: 'nothing',
  what: 'no attack at all',
  isCheap: true,
  async run(_, signal) {
    while (!signal.aborted) await sleep(1_000, undefined, { signal }).catch(() => {})
    return { count: 1, did: 'nothing', faults: 0 }
  },
}

export const ATTACKS: readonly Attack[] = [
  nothing,
  pings,
  churn,
  connections,
  violations,
  uniqueDocuments,
  repeatedFields,
  fullLists,
  sweepLeavers,
  selections,
  wrongKeys,
  wrongTokens,
  logins,
  sharedKeys,
  graphiqlReaders,
  streamReaders,
  exportReaders,
  slowRequests,
  idleConnections,
  bombs,
  hosts,
]
