// Checks everything that is written, signed, sent and landed, at the moment it happens.
import type { Database } from '#adapters/prisma/engine/database.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Address, Asset, Signature } from '#core/chain/types.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'
import type { ChangeNoticeKind } from '../instance.ts'
import type { Payee } from '../payees.ts'
import { replaced, type WorldPorts } from '../ports.ts'
import type { Stage } from '../stage.ts'
import type { Ground, Listener } from '../world.ts'
import {
  type CheckSweepAnswer,
  createAnswers,
  createRecordAnswers,
  type ReadAnswer,
  type ReadRecords,
  watchSweepAnswers,
} from './answers.ts'
import { watchAttempts } from './attempts.ts'
import { type SubscriptionMonitor, watchSubscriptions } from './billing/subscriptions.ts'
import { checkRefundLimits } from './business-refunds.ts'
import { watchChanges } from './changes.ts'
import { createEvidence } from './evidence.ts'
import { watchFences } from './fences.ts'
import { type Figures, partiesOf, watchDestinations } from './figures.ts'
import type { Findings } from './findings.ts'
import { createMemory } from './memory.ts'
import { watchProposals } from './proposals.ts'
import { type ReportedEvents, watchReportedEvents } from './reported-events.ts'
import { type Spend, watchSpend } from './spend.ts'

/** The terms of a payment, as the business ordered it. */
export type Ordered = {
  readonly intentId: string
  readonly payee: Payee
  /** The marketplace's cut in basis points; null where it takes none. */
  readonly feeBps: number | null
  /** How much less than the price the business tolerates, in basis points; null for nothing less. */
  readonly toleranceBps: number | null
  readonly priceUsdCents: bigint
  readonly reference: string
  readonly email: string | null
}

export type Paid = { readonly wallet: Address; readonly asset: Asset; readonly amount: bigint }

export type Monitor = Listener & {
  watch(ports: WorldPorts): WorldPorts
  readonly changes: ReturnType<typeof watchChanges>
  readonly attempts: ReturnType<typeof watchAttempts>
  readonly reportedEvents: ReportedEvents
  readonly figures: Figures
  readonly spend: Spend
  /** null in a seed without subscriptions. */
  readonly subscriptions: SubscriptionMonitor | null
  /** Returns the answer of the API for a payment. */
  answer: ReadAnswer
  /** Returns the records below a payment, as GraphQL shows them. */
  records: ReadRecords
  /** Deposit addresses by intent. */
  readonly addresses: ReadonlyMap<string, Address>
  /** The client secrets of buyers. */
  readonly secrets: Set<string>
  /** Checks an answer of `POST /sweep`. */
  readonly onSwept: CheckSweepAnswer
  /** The indexes of intents for which a business requested a sweep. */
  readonly onDemand: Set<number>
  /** The amounts that people pay by a transaction, without the other payments of its signers. */
  readonly payments: Map<Signature, readonly Paid[]>
  /** The wallets that businesses named for refunds, by payment. */
  readonly namedRecipients: Map<string, Set<Address>>
  /** The indexes of intents that the buyer or the business wanted to cancel. */
  readonly cancels: Set<number>
  /** What businesses ordered, by index. */
  readonly orders: Map<number, Ordered>
  /** Keeps what is known from the rows of this moment. Returns a function that brings it back, when the database has only these rows. */
  keep(): () => Promise<void>
  /** Whether the database has forgotten the intent. */
  isForgotten(intentId: string): boolean
  /** Whether money has left its address that the database has forgotten: no history explains its books. */
  isBelowBooks(intentId: string): boolean
  /** Whether the database has forgotten the row of a transaction. */
  isLost(signature: Signature): boolean
}

export function createMonitor(
  ground: Ground,
  stage: Stage,
  db: Pick<Database, 'query' | 'prisma'>,
  findings: Findings,
  hooks: {
    /** Called for intents that were created or changed. */
    readonly onChangeNotice: (intentId: string, kind: ChangeNoticeKind) => void
    /** Called when rows of a payment, a subscription or the lease of a transfer were written. `isPull`: it is a pull without an attempt. */
    readonly onWritten: (isPull: boolean) => void
    /** Called before a transaction is sent. */
    readonly onSigned: (plan: TransactionPlan) => void
    /** Called when a payment waits for a person. */
    readonly onStopped: () => void
  },
): Monitor {
  const { onChangeNotice } = hooks
  const memory = createMemory()
  const changes = watchChanges(ground, stage, findings, memory, (address) => attempts.isBelowBooks(address))
  const subscriptions =
    stage.billing === null
      ? null
      : watchSubscriptions(ground, stage.billing, findings, memory, {
          attempts: () => attempts,
          changes,
          onWritten: () => hooks.onWritten(false),
        })
  const attempts = watchAttempts(ground, findings, stage.feePayer, {
    onSigned: hooks.onSigned,
    onBegun: hooks.onWritten,
    onStored: (signature) => subscriptions?.onStored(signature),
    isSponsored: (signature) => subscriptions?.isSponsored(signature) === true,
  })
  const addresses = new Map<string, Address>()
  const { trace } = ground
  const evidence = createEvidence(ground.chain, stage.feePayer)
  const payments = new Map<Signature, readonly Paid[]>()
  const figures: Figures = {
    evidence,
    faults: ground.faults,
    stage,
    findings,
    partiesOf: (accountId) => partiesOf(stage, accountId),
    meantBy: (signature) => payments.get(signature),
    releasedTo: (index) => ground.released.get(index) ?? new Set(),
    isBelowBooks: (address) => attempts.isBelowBooks(address),
  }
  const reportedEvents = watchReportedEvents(figures, memory)
  const spend = watchSpend(ground.chain, stage, evidence, findings, attempts)
  const destinations = watchDestinations(findings, memory)
  const proposals = watchProposals(ground, findings, memory)
  /** A business is paid itself, or through a seller of its own marketplace. */
  const checkSeller = ({ accountId }: Tenant, payeeId: string): void => {
    const payee = stage.payees.find((one) => one.accountId === payeeId)
    const isOwn = payee?.caller.accountId === accountId
    findings.check('a marketplace sells for its own sellers', isOwn, () => `${accountId} for ${payeeId}`)
  }
  const orders = new Map<number, Ordered>()
  const forgotten = new Set<string>()
  const idsOf = async (table: string): Promise<ReadonlySet<string>> =>
    new Set((await db.query<{ id: string }>(`SELECT id FROM ${table}`)).map(({ id }) => id))
  let answer: ReadAnswer = () => Promise.reject(new Error('nothing is watched yet'))
  let records: ReadRecords = () => Promise.reject(new Error('nothing is watched yet'))

  return {
    changes,
    attempts,
    reportedEvents,
    figures,
    spend,
    subscriptions,
    answer: (callerAccountId, index) => answer(callerAccountId, index),
    records: (callerAccountId, index) => records(callerAccountId, index),
    addresses,
    secrets: new Set(),
    onSwept: watchSweepAnswers(figures),
    onDemand: new Set(),
    payments,
    namedRecipients: new Map(),
    cancels: new Set(),
    orders,
    keep() {
      const bringBack = memory.keep()
      return async () => {
        bringBack()
        attempts.onForgotten(await idsOf('transfer_attempts'))
        subscriptions?.onForgotten(await idsOf('approvals'))
        const kept = await idsOf('payment_intents')
        for (const id of addresses.keys()) if (!kept.has(id)) forgotten.add(id)
        for (const [index, { intentId }] of orders) if (forgotten.has(intentId)) orders.delete(index)
      }
    },
    isForgotten: (intentId) => forgotten.has(intentId),
    isBelowBooks(intentId) {
      const address = addresses.get(intentId)
      return address !== undefined && attempts.isBelowBooks(address)
    },
    isLost: (signature) => attempts.isForgotten(signature) || subscriptions?.isForgotten(signature) === true,
    watch(ports) {
      const { accounts, intents, refunds, sender, work } = ports
      answer = createAnswers(intents)
      records = createRecordAnswers(db, intents)
      const watched = attempts.watch({ ...ports, transfers: watchFences(db, findings, ports.transfers) })
      return {
        ...ports,
        ...watched,
        ...subscriptions?.watch(ports),
        signer: subscriptions?.watchSponsor(watched.signer) ?? watched.signer,
        transfers: replaced(watched.transfers, {
          async finish(lease, outcome) {
            const done = await watched.transfers.finish(lease, outcome)
            if (done) changes.checkLedger(outcome.ledger)
            if (done) ground.stir()
            return done
          },
        }),
        intents: replaced(intents, {
          async create(tenant, draft) {
            const made = await intents.create(tenant, draft)
            checkSeller(tenant, draft.accountId)
            if (!made.created) return made
            addresses.set(made.intent.id, made.intent.address)
            reportedEvents.onCreated(made.intent)
            hooks.onWritten(false)
            // The last moment of its window, and the first after it.
            const ends = made.intent.expiresAt.getTime()
            const isOpen = () => changes.statusOf(made.intent.id) === 'pending'
            for (const off of [-20_000, 5_000]) ground.lookAt(ends + off, isOpen)
            onChangeNotice(made.intent.id, 'created')
            return made
          },
        }),
        refunds: replaced(refunds, {
          async create(...asked) {
            const made = await refunds.create(...asked)
            await checkRefundLimits(db, findings)
            return made
          },
        }),
        accounts: replaced(accounts, {
          async update(accountId, patch, by) {
            const account = await accounts.update(accountId, patch, by)
            if (account?.sweepDestination != null) destinations.onNamed(accountId, account.sweepDestination)
            return account
          },
        }),
        sender: replaced(sender, {
          send(request) {
            reportedEvents.onSent(request)
            subscriptions?.onSent(request)
            return sender.send(request)
          },
        }),
        work: replaced(work, {
          facts(intentId) {
            destinations.onRead(intentId)
            return work.facts(intentId)
          },
          async apply(change) {
            const done = await work.apply(change)
            if (!done) return done
            const { before, after, events, transfers } = change
            trace.note(
              `intent ${after.derivationIndex}: ${before.status} → ${after.status}` +
                `${events.map(({ type }) => ` ${type}`).join('')}${transfers.map(({ key, legs }) => ` + ${key} ${legs.map(({ role, amount }) => `${role} ${amount}`).join(', ')}`).join('')}`,
            )
            changes.onApplied(change)
            attempts.onPlanned(transfers)
            reportedEvents.onApplied(change)
            destinations.onApplied(change)
            proposals.onApplied(change)
            hooks.onWritten(false)
            onChangeNotice(after.id, 'changed')
            if (after.status !== before.status && after.status.endsWith('_failed')) hooks.onStopped()
            ground.stir()
            return done
          },
        }),
      }
    },
    onSubmitted: attempts.onSubmitted,
    onLanded(landed) {
      evidence.onLanded(landed)
      attempts.onLanded(landed)
      spend.onLanded(landed)
      subscriptions?.onLanded(landed)
    },
  }
}
