// Every attack, in the order in which they run.
import type { Attack } from '../attack.ts'
import { graphiqlReaders, idleConnections, slowRequests, streamReaders } from './connections.ts'
import { fullLists, repeatedFields, uniqueDocuments } from './documents.ts'
import { nothing } from './nothing.ts'
import { selections, sweepLeavers, wrongKeys } from './payments.ts'
import { bombs, hosts } from './requests.ts'
import { exportReaders, logins, sharedKeys } from './tenants.ts'
import { wrongTokens } from './tokens.ts'
import { churn, connections, pings, violations } from './websockets.ts'

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
