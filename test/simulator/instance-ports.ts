// The ports of one instance: every call is carried, the chain is read through the service's own adapters, and a planted
// bug is applied if there is one.

import { AddressSet, fingerprintsOf } from '#adapters/solana/blocks/address-set.ts'
import { matchAnswer } from '#adapters/solana/blocks/block-match.ts'
import type { BlockMatcher } from '#adapters/solana/blocks/block-matcher.ts'
import { createBlockSource } from '#adapters/solana/blocks/block-source.ts'
import { createAccountReader } from '#adapters/solana/rpc/accounts.ts'
import { createAgreement } from '#adapters/solana/rpc/agreement.ts'
import { createExpiryProver } from '#adapters/solana/rpc/expiry-proof.ts'
import { createHistoryReader } from '#adapters/solana/rpc/history.ts'
import { createPaceReader, createSlotTimer } from '#adapters/solana/rpc/pace.ts'
import { createFinalSlots } from '#adapters/solana/rpc/slots.ts'
import { createSubmitter } from '#adapters/solana/rpc/submitter.ts'
import { createCompiler } from '#adapters/solana/transactions/compiler.ts'
import type { Address, Network } from '#core/chain/types.ts'
import type { FinalityNotices } from '#ports/blocks.ts'
import type { AccountNotices, DepositKeys } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import { createPriceSource } from '#services/prices/price-source.ts'
import type { Carrier } from './carrier.ts'
import { createSimulatedPool } from './chain/pool.ts'
import type { Plant } from './plants/plant.ts'
import { carried, type InstancePorts, type WorldPorts } from './ports.ts'
import type { Ground } from './world.ts'

export const NETWORK: Network = 'live'
/** In millionths of a lamport. */
export const COMPUTE_UNIT_PRICE = 10_000n
/** Real time is not used: no call is late by it. */
const NEVER_LATE_MS = 3_600_000

export function plantedPorts(
  { ground, keys, plant, ports }: { ground: Ground; keys: DepositKeys; plant: Plant | null; ports: WorldPorts },
  carrier: Carrier,
  clock: Clock,
): InstancePorts {
  const store = <T extends object>(port: T, label: string): T =>
    carried(port, (method, effect) => carrier.carry('database', `${label}.${method}`, effect))
  const world: WorldPorts = {
    accounts: store(ports.accounts, 'accounts'),
    approvals: store(ports.approvals, 'approvals'),
    audit: store(ports.audit, 'audit'),
    billing: store(ports.billing, 'billing'),
    halts: store(ports.halts, 'halts'),
    settings: store(ports.settings, 'settings'),
    sources: store(ports.sources, 'sources'),
    challenges: store(ports.challenges, 'challenges'),
    checkout: store(ports.checkout, 'checkout'),
    checkouts: store(ports.checkouts, 'checkouts'),
    custodians: store(ports.custodians, 'custodians'),
    delegationLookup: store(ports.delegationLookup, 'delegationLookup'),
    delegations: store(ports.delegations, 'delegations'),
    deliveries: store(ports.deliveries, 'deliveries'),
    depositAddresses: store(ports.depositAddresses, 'depositAddresses'),
    held: store(ports.held, 'held'),
    intents: store(ports.intents, 'intents'),
    leases: store(ports.leases, 'leases'),
    lineage: store(ports.lineage, 'lineage'),
    operator: store(ports.operator, 'operator'),
    portalPages: store(ports.portalPages, 'portalPages'),
    portalSessions: store(ports.portalSessions, 'portalSessions'),
    redirectDomains: store(ports.redirectDomains, 'redirectDomains'),
    refunds: store(ports.refunds, 'refunds'),
    refundWork: store(ports.refundWork, 'refundWork'),
    subscriptionCoupons: store(ports.subscriptionCoupons, 'subscriptionCoupons'),
    subscriptionIntents: store(ports.subscriptionIntents, 'subscriptionIntents'),
    subscriptionProducts: store(ports.subscriptionProducts, 'subscriptionProducts'),
    subscriptionTiers: store(ports.subscriptionTiers, 'subscriptionTiers'),
    tokens: store(ports.tokens, 'tokens'),
    transfers: store(ports.transfers, 'transfers'),
    work: store(ports.work, 'work'),
    workers: store(ports.workers, 'workers'),
    receiptSigner: ports.receiptSigner,
    signer: carried(ports.signer, (method, effect) => carrier.carry('signer', `signer.${method}`, effect)),
    sender: carried(ports.sender, async (method, effect) => {
      try {
        return await carrier.carry('webhook', `webhook.${method}`, effect)
      } catch {
        return { kind: 'unanswered', reason: 'no answer' }
      }
    }),
    feeds: ports.feeds.map((feed) =>
      carried(feed, (method, effect) => carrier.carry('feed', `feed.${method}`, effect)),
    ),
  }
  const chain = openChain(ground, carrier, keys, clock)
  const prices = createPriceSource({ feeds: world.feeds, clock, timeoutMs: NEVER_LATE_MS })
  const arrivals: InstancePorts['arrivals'] = {
    async readAccounts(asked) {
      const read = await chain.readAccounts(asked)
      for (const [at, account] of asked.entries()) ground.shownToRequests.set(account, read.states[at] ?? null)
      return read
    },
  }
  const own: InstancePorts = { ...world, chain, arrivals, prices, clock }
  return plant?.above?.(own, ground) ?? own
}

/** The service's own adapters over simulated nodes. */
function openChain(ground: Ground, carrier: Carrier, depositKeys: DepositKeys, clock: Clock): InstancePorts['chain'] {
  const { chain, nodes, catchUp } = ground
  const pool = createSimulatedPool(
    nodes,
    (node, method, ask) =>
      carrier.carry('rpc', `node ${node.number} ${method}`, async () => {
        catchUp()
        return ask()
      }),
    (ms) => carrier.sleep(ms, 'waits for a node'),
  )
  const finalSlots = createFinalSlots(pool, clock)
  const agreement = createAgreement(pool)
  const slotTimer = createSlotTimer(clock)
  const accounts = createAccountReader(pool, clock, slotTimer)
  return {
    ...accounts,
    ...agreement,
    ...createHistoryReader(pool, finalSlots, agreement),
    ...createSubmitter(pool, clock, finalSlots, agreement, { lifetimeCacheMs: 200 }),
    ...createExpiryProver(pool),
    ...createCompiler({ accounts, depositKeys, network: NETWORK, computeUnitPrice: COMPUTE_UNIT_PRICE }),
    ...createPaceReader(pool, slotTimer),
    genesisHash: async () => String(chain.tip),
    openBlocks: () => createBlockSource(pool, createMatcher()),
  }
}

/** Searches blocks like the thread of the service, without a thread, because one step happens at a time. */
function createMatcher(): BlockMatcher {
  const known = new AddressSet()
  const decoder = new TextDecoder()
  return {
    watch(addresses) {
      const fresh = addresses.filter((address) => !known.mayHave(address))
      known.add(fingerprintsOf(fresh))
      return fresh
    },
    get watched() {
      return known.size
    },
    match: async (slot, bytes) => matchAnswer(slot, decoder.decode(bytes), known),
    close: async () => {},
  }
}

/**
 * Account notices for the watched accounts, and finality notices. A silent feed reports nothing, and covers no account until it has
 * sent something again.
 */
export function createNotices(finalSlot: () => bigint) {
  const listeners: ((account: Address) => void)[] = []
  let onFinal: ((slot: bigint) => void) | null = null
  let watched: ReadonlyMap<Address, bigint> = new Map()
  let isSilent = false
  const source: AccountNotices & FinalityNotices = {
    followFinality(listener) {
      onFinal = listener
    },
    watch: (accounts) => {
      watched = new Map([...accounts].map((account) => [account, watched.get(account) ?? finalSlot()]))
    },
    onNotice: (listener) => void listeners.push(listener),
    coveredSince: (account) => (isSilent ? null : (watched.get(account) ?? null)),
    coverage: () => ({
      via: 'websockets',
      isTicking: !isSilent,
      wanted: watched.size,
      covered: isSilent ? 0 : watched.size,
    }),
    room: Number.POSITIVE_INFINITY,
    close: async () => {},
  }
  return {
    source,
    finalTo: (slot: bigint) => onFinal?.(slot),
    silence() {
      isSilent = true
    },
    /** After a silence, an account is covered when it is read again. */
    resume() {
      if (isSilent) watched = new Map([...watched.keys()].map((account) => [account, finalSlot()]))
      isSilent = false
    },
    notify(account: Address, slot: bigint) {
      if (isSilent || !watched.has(account)) return
      watched = new Map(watched).set(account, slot)
      for (const listener of listeners) listener(account)
    },
  }
}
