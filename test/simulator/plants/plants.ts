// Every planted bug, by name.
import { BILLING_PLANTS } from './billing-plants.ts'
import { CHAIN_PLANTS } from './chain-plants.ts'
import { EDGE_PLANTS } from './edge-plants.ts'
import { FAILOVER_PLANTS } from './failover-plants.ts'
import { PLANNER_PLANTS, SPLIT_PLANTS } from './planner-plants.ts'
import type { Plant } from './plant.ts'
import { RECEIPT_PLANTS } from './receipt-plants.ts'
import { REFUND_PLANTS } from './refund-plants.ts'
import { REPORTED_PLANTS } from './reported-plants.ts'
import { STORE_PLANTS } from './store-plants.ts'
import { SUBSCRIPTION_PLANTS } from './subscription-plants.ts'

const ALL: readonly Plant[] = [
  ...CHAIN_PLANTS,
  ...STORE_PLANTS,
  ...FAILOVER_PLANTS,
  ...EDGE_PLANTS,
  ...PLANNER_PLANTS,
  ...SPLIT_PLANTS,
  ...REFUND_PLANTS,
  ...RECEIPT_PLANTS,
  ...REPORTED_PLANTS,
  ...BILLING_PLANTS,
  ...SUBSCRIPTION_PLANTS,
]

export const PLANTS: ReadonlyMap<string, Plant> = new Map(ALL.map((plant) => [plant.name, plant]))
