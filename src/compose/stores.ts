// Every store over one database.
import { createAccountStore } from '#adapters/prisma/account-store.ts'
import { createAnnouncer } from '#adapters/prisma/announcer.ts'
import { createAuditStore } from '#adapters/prisma/audit-store.ts'
import { createIntentWorkStore } from '#adapters/prisma/change-store.ts'
import { createCustodianStore } from '#adapters/prisma/custodian-store.ts'
import type { Database } from '#adapters/prisma/database.ts'
import { createDeliveryStore } from '#adapters/prisma/delivery-store.ts'
import { createDepositAddressStore } from '#adapters/prisma/deposit-address-store.ts'
import { createDepositSourceStore } from '#adapters/prisma/deposit-source-store.ts'
import { createHaltStore } from '#adapters/prisma/halt-store.ts'
import { createHeldStore } from '#adapters/prisma/held-store.ts'
import { createCheckoutStore, createIntentStore } from '#adapters/prisma/intent-store.ts'
import { createKeyStore } from '#adapters/prisma/key-store.ts'
import { createLeaseStore } from '#adapters/prisma/lease-store.ts'
import { createNetworkStore, createSettingStore } from '#adapters/prisma/network-store.ts'
import { createOperatorStore, createWorkerStore } from '#adapters/prisma/operator-store.ts'
import { createTokenStore } from '#adapters/prisma/token-store.ts'
import { createTransferStore } from '#adapters/prisma/transfer-store.ts'
import { createUnacceptedStore } from '#adapters/prisma/unaccepted-store.ts'

export type Stores = ReturnType<typeof createStores>

export const createStores = (db: Database) => ({
  accounts: createAccountStore(db.prisma),
  announcer: createAnnouncer(db),
  audit: createAuditStore(db),
  checkout: createCheckoutStore(db),
  custodians: createCustodianStore(db.prisma),
  deliveries: createDeliveryStore(db),
  depositAddresses: createDepositAddressStore(db),
  halts: createHaltStore(db),
  held: createHeldStore(db),
  intents: createIntentStore(db),
  keys: createKeyStore(db.prisma),
  leases: createLeaseStore(db),
  networks: createNetworkStore(db.prisma),
  operator: createOperatorStore(db),
  sources: createDepositSourceStore(db),
  settings: createSettingStore(db.prisma),
  tokens: createTokenStore(db.prisma),
  transfers: createTransferStore(db),
  unaccepted: createUnacceptedStore(db),
  work: createIntentWorkStore(db),
  workers: createWorkerStore(db),
})
