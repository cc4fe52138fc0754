// The charging engine over a real chain and database: subscribers with allowances, and rounds of work at a time of its own.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit'
import { getApproveCheckedInstruction, getCloseAccountInstruction, getRevokeInstruction } from '@solana-program/token'
import { createApprovalStore } from '#adapters/prisma/billing/approval-store.ts'
import { createBillingStore } from '#adapters/prisma/billing/billing-store.ts'
import { createDelegationStore } from '#adapters/prisma/billing/delegation-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { writeLedger } from '#adapters/prisma/transfers/records.ts'
import { createTransferStore } from '#adapters/prisma/transfers/transfer-store.ts'
import { createChain } from '#adapters/solana/chain.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { createSigner } from '#adapters/solana/transactions/signer.ts'
import type { Tenant } from '#core/accounts/account.ts'
import type { Delegation } from '#core/billing/delegation.ts'
import type { BillingChange, Decision } from '#core/billing/machine/change.ts'
import { decideCompletion } from '#core/billing/machine/completion.ts'
import type { BillingContext, BillingFacts } from '#core/billing/machine/facts.ts'
import type { Tier } from '#core/billing/tier.ts'
import { makeAddress } from '#core/chain/base58.ts'
import type { AccountState, Signature } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { Chain } from '#ports/chain.ts'
import type { Signer } from '#ports/transactions.ts'
import { GENESIS_SLOT } from '#sandbox/chain/chain-clock.ts'
import { createChargeSubject } from '#services/billing/charging/charge-subject.ts'
import { createCheckDelegations } from '#services/billing/charging/check-delegations.ts'
import { createFindPulls } from '#services/billing/charging/find-pulls.ts'
import { createRetryRefilled } from '#services/billing/charging/refill.ts'
import { createRunDue } from '#services/billing/charging/run-due.ts'
import { contextOf, decideSubscription, delegateOf, termsOf } from '#services/billing/decide.ts'
import { createTransferAdvancer } from '#services/transfers/advance.ts'
import { createAttemptPreparer } from '#services/transfers/prepare.ts'
import { registerSubjects } from '#services/transfers/subject.ts'
import { addDelegation, addSubscriptionIntent, addTier } from './billing-rows.ts'
import { SOL, startTestChain, stopTestChain } from './chain.ts'
import { openTestDatabase } from './database.ts'
import { UNCHANGED_MINTS } from './memory-stores.ts'
import { signatureNo, units } from './payment.ts'
import { addBusiness } from './stores.ts'
import { until } from './until.ts'

const seed = new Uint8Array(64).fill(41)
const keys = createDepositKeys(seed)
const FEE_PAYER = keys.addressOf({ network: 'live', branch: 'fee_payer' })

/** The price of a period, in base units. */
export const UNIT = 1_000_000n

/** An answer of a provider. */
export type Past = { readonly slot: bigint; readonly states: ReadonlyMap<Address, AccountState | null> }

/** The slot of the newest transaction that is listed, and the slot that the provider says it has reached. */
export type ListedHistory = { readonly end: bigint; readonly reached: bigint }

export type ChargingWorld = Awaited<ReturnType<typeof startChargingWorld>>

export async function startChargingWorld() {
  const [tools, db] = await Promise.all([startTestChain(), openTestDatabase()])
  let offsetMs = 0
  const clock = { now: () => new Date(Date.now() + offsetMs) }
  const realChain = createChain({
    network: 'live',
    rpcUrls: [tools.rpcUrl],
    depositKeys: keys,
    clock: { now: () => new Date() },
    lifetimeCacheMs: 50,
  })
  /** How far the chain is behind the engine's time. */
  let behindMs = 0
  /** The answer of a provider that is behind, for some accounts; null while none is. */
  let past: Past | null = null
  /** Pulls before this slot may be lost; null when none may. */
  let lostBefore: bigint | null = null
  /** What providers list of the history; null for all of it. */
  let history: ListedHistory | null = null
  /** What happens on the chain before the next transaction is sent. */
  let beforeSend: (() => Promise<void>) | null = null
  // The chain of a sandbox moves with the clock. Its own lags on a busy machine.
  const chain: Chain = {
    ...realChain,
    async readAccounts(accounts) {
      const { slot, states } = await realChain.readAccounts(accounts)
      const old = past
      if (old === null) return { slot, states }
      return { slot: old.slot, states: accounts.map((one, at) => old.states.get(one) ?? states[at] ?? null) }
    },
    async blockTime() {
      const { slot } = await realChain.blockTime()
      return { slot, time: new Date(clock.now().getTime() - behindMs) }
    },
    async transaction(...asked) {
      const found = await realChain.transaction(...asked)
      const landedAt = found?.blockTime ?? null
      return found === null ? null : { ...found, blockTime: landedAt && new Date(landedAt.getTime() + offsetMs) }
    },
    async signatures(account, options) {
      const { entries, next } = await realChain.signatures(account, options)
      const listed = history
      if (listed === null) return { entries, next }
      if ((options.covers?.upTo ?? 0n) > listed.reached) throw new ServiceError('chain_unavailable')
      return { entries: entries.filter(({ slot }) => slot <= listed.end), next }
    },
    async broadcast(wire) {
      const before = beforeSend
      beforeSend = null
      await before?.()
      await realChain.broadcast(wire)
    },
  }
  await tools.fund(FEE_PAYER, 100n * SOL)
  const mint = await tools.createMint()
  const known = await tools.paySol(await tools.wallet(), FEE_PAYER, SOL)
  await tools.finalized(known)
  await writeKnown(db, known)

  const billing = createBillingStore(db)
  const delegations = createDelegationStore(db)
  const transfers = createTransferStore(db)
  const random = { uuid: () => randomUUID() }
  const errors: unknown[] = []
  const common = {
    billing,
    delegations,
    approvals: createApprovalStore(db),
    keys,
    clock,
    random,
    chainOf: () => chain,
    findPulls: createFindPulls({ delegations, chainOf: () => chain, clock }),
    afterFailover: async () => ({ waits: null, lostBefore }),
    sleep: async (ms: number) => void (await sleep(ms)),
    onError: (error: unknown) => void errors.push(error),
  }
  let isOn = true
  let perBusiness = makeLamports(1_000_000_000)
  const realSigner = createSigner(seed)
  let signs = true
  const signer: Signer = {
    ...realSigner,
    async sign(...args) {
      if (!signs) throw new Error('the instance died before it signed')
      return await realSigner.sign(...args)
    },
  }
  const charges = createChargeSubject({
    ...common,
    transfers,
    get sponsorLamportsPerBusiness() {
      return isOn ? perBusiness : null
    },
  })
  const subjects = registerSubjects([charges])
  const engine = { ...common, transfers, subjects, feePayerOf: () => FEE_PAYER }
  const advance = createTransferAdvancer({
    ...engine,
    prepare: createAttemptPreparer({
      ...engine,
      mintGuard: UNCHANGED_MINTS,
    }),
    signer,
  })
  const runDue = createRunDue(common)
  const refill = createRetryRefilled(common)
  const checkDelegations = createCheckDelegations(common, 0)

  const accountOf = (owner: Address) => keys.tokenAccountOf(makeAddress(owner), mint.mint, mint.tokenProgram)

  const approve = async (owner: KeyPairSigner, amount: bigint, delegate: Address): Promise<void> => {
    const source = await accountOf(owner.address)
    const { decimals, mint: address } = mint
    const approval = getApproveCheckedInstruction({ source, mint: address, delegate, owner, amount, decimals })
    await tools.finalized(await tools.send(owner, [approval]))
  }

  return {
    tools,
    db,
    /** What the services of the engine are made of, with the chain and the signer. */
    parts: { ...common, chainOf: () => chain, signer: createSigner(seed) },
    known,
    mint,
    /** The subject of the transfers of charges. */
    charges,
    errors,
    clock,
    delegate: delegateOf({ keys }, 'live').address,
    approve,

    /** Moves the engine's time on. */
    sleep: (ms: number): void => {
      offsetMs += ms
    },

    /** The clock of this machine goes wrong: the chain is behind it. */
    setBehind: (ms: number): void => {
      behindMs = ms
    },

    /** Reads the token account of the wallet, for an answer of a provider that stays behind. */
    async present(owner: KeyPairSigner): Promise<Past> {
      const account = await accountOf(owner.address)
      const { slot, states } = await realChain.readAccounts([account])
      return { slot, states: new Map([[account, states[0] ?? null]]) }
    },

    /** The provider of the next readings is behind; null ends it. */
    setPast: (answer: Past | null): void => {
      past = answer
    },

    /** A failover of the database is noticed, and its wait is over. Pulls before this slot may be lost. */
    setLostBefore: (slot: bigint | null): void => {
      lostBefore = slot
    },

    /** Providers list only this of the history of token accounts; null for all of it. */
    setHistory: (listed: ListedHistory | null): void => {
      history = listed
    },

    /** Instances die before they sign, or no longer do. */
    setSigns: (on: boolean): void => {
      signs = on
    },

    /** Something happens after the check of a charge, and before its transaction is sent. */
    beforeSend: (happen: () => Promise<void>): void => {
      beforeSend = happen
    },

    addBusiness: (): Promise<Tenant> => addBusiness(db),
    addSeller: (marketplace: Tenant): Promise<Tenant> => addBusiness(db, 'live', marketplace.accountId),

    /** A monthly tier of one token for each period, with 1% for the platform. */
    async tier(tenant: Tenant, patch: Partial<Tier> = {}): Promise<Tier> {
      const payoutOwner = patch.payoutOwner ?? makeAddress((await generateKeyPairSigner()).address)
      const platformWallet = makeAddress((await generateKeyPairSigner()).address)
      return await addTier(db, tenant, {
        mint: mint.mint,
        tokenProgram: mint.tokenProgram,
        decimals: mint.decimals,
        unitBaseUnits: units(UNIT),
        payoutOwner,
        payoutAta: await accountOf(payoutOwner),
        platformWallet,
        ...patch,
      })
    },

    /** A wallet with tokens that lets the service pull `allowance` base units. */
    async wallet(tokens: bigint, allowance: bigint): Promise<KeyPairSigner> {
      const owner = await tools.wallet(SOL)
      await tools.fundToken(mint, owner.address, tokens)
      if (allowance > 0n) await approve(owner, allowance, delegateOf({ keys }, 'live').address)
      return owner
    },

    /** A business empties its token account, closes it, and keeps the rent. */
    async closeAccount(owner: KeyPairSigner): Promise<void> {
      const account = await accountOf(owner.address)
      await tools.payToken(owner, FEE_PAYER, mint, await tools.tokensOf(owner.address, mint))
      const close = getCloseAccountInstruction({ account, destination: owner.address, owner })
      await tools.finalized(await tools.send(owner, [close]))
    },

    revoke: async (owner: KeyPairSigner): Promise<void> => {
      const source = await accountOf(owner.address)
      await tools.finalized(await tools.send(owner, [getRevokeInstruction({ source, owner })]))
    },

    /**
     * Completes a checkout of the tier for the wallet, whose approve is on the chain. `known`: the delegation that it has already.
     * Returns the id of the subscription.
     */
    async subscribe(tier: Tier, owner: KeyPairSigner, known: Delegation | null = null): Promise<string> {
      const wallet = makeAddress(owner.address)
      const allowance = units(tier.unitBaseUnits * BigInt(tier.authorizationPeriods))
      const fresh = {
        wallet,
        tokenAccount: await accountOf(wallet),
        chainDelegate: delegateOf({ keys }, 'live').address,
        chainAllowance: allowance,
        authorizedTotal: allowance,
        chainSlot: 0n,
        pulledSlot: null,
        accountedSlot: BigInt(GENESIS_SLOT),
        accountedAllowance: allowance,
        chainCheckedAt: clock.now(),
      }
      const delegation = known ?? (await addDelegation(db, tier, fresh))
      const subscriptionId = randomUUID()
      const decision = decideCompletion(
        {
          checkout: await addSubscriptionIntent(db, tier),
          subscriptionId,
          receiverAccountId: tier.accountId,
          wallet,
          terms: await termsOf({ keys }, 'live', tier),
          coupon: null,
          delegation,
          others: await delegations.slices(delegation.id),
          trialDays: tier.trialDays,
          consent: { by: 'approve', signature: signatureNo(1), epoch: 1 },
        },
        contextOf(common),
      )
      if (!(await billing.apply(changeOf(decision), delegation))) throw new Error('the checkout was not completed')
      return subscriptionId
    },

    decide: (id: string, decision: (facts: BillingFacts, context: BillingContext) => Decision) =>
      decideSubscription(common, id, (facts) => decision(facts, contextOf(common))),

    async facts(id: string) {
      const facts = await billing.facts(id)
      if (facts === null) throw new Error(`no subscription ${id}`)
      return facts
    },

    /** Enables or disables recurring billing, as a restart with another setting does. */
    turn: (on: boolean): void => {
      isOn = on
    },

    /** Sets what the subscriptions of one business may cost, as a restart with another setting does. */
    limitBusinesses: (lamports: bigint): void => {
      perBusiness = makeLamports(lamports)
    },

    /** One round of everything. The waits between two checks of the chain are not tested here. */
    round,
    /** One round of the transfers alone: nothing else that is due is done. */
    advance: advanceNow,
    runDue: () => runDue('live'),
    refill: () => refill('live'),
    checkDelegations: () => checkDelegations('live'),

    /** Runs rounds until the condition holds. A failure says what was under way, and which errors there were. */
    async workUntil(condition: () => Promise<boolean>): Promise<void> {
      try {
        let rounds = 0
        await until(async () => {
          // One round meets a transaction under way. More of them would find nothing to do until it is final.
          if (rounds > 1) await untilSentIsFinal()
          rounds += 1
          await round()
          return await condition()
        }, 50_000)
      } catch (cause) {
        throw new Error(JSON.stringify({ errors: [...new Set(errors.map(String))], unfinished: await unfinished() }), {
          cause,
        })
      }
    },

    events: async (subjectId: string) => {
      const where = { subjectId }
      const rows = await db.prisma.event.findMany({ where, orderBy: { sequence: 'asc' }, select: { type: true } })
      return rows.map(({ type }) => type)
    },

    async stop(): Promise<void> {
      await stopTestChain(tools)
      await db.close()
    },
  }

  async function unfinished(): Promise<readonly object[]> {
    return await db.query(
      `SELECT c.period_index, c.status, c.failure_code, t.status AS transfer, t.reason, a.state, a.signature, a.error
        FROM charges c
        JOIN transfers t ON t.subject_id = c.id
        LEFT JOIN transfer_attempts a ON a.transfer_id = t.id
        WHERE t.status <> 'done'`,
      [],
    )
  }

  async function round(): Promise<void> {
    if (isOn) await runDue('live')
    await advanceNow()
  }

  async function advanceNow(): Promise<void> {
    await db.query(
      `UPDATE transfers SET next_attempt_at = $1, lease_until = NULL WHERE status IN ('planned', 'in_progress')`,
      [new Date(0)],
    )
    await advance('live')
  }

  /** Waits for a second at most, because a transaction that was sent may never land. */
  async function untilSentIsFinal(): Promise<void> {
    const rows = await db.query<{ signature: Signature }>(
      `SELECT signature FROM transfer_attempts WHERE state = 'sent' AND signature IS NOT NULL`,
      [],
    )
    if (rows.length === 0) return
    const signatures = rows.map(({ signature }) => signature)
    await until(async () => {
      const { value } = await tools.rpc.getSignatureStatuses(signatures).send()
      return value.every((status) => status?.confirmationStatus === 'finalized')
    }, 1_000).catch(() => {})
  }
}

function changeOf(decision: Decision): BillingChange {
  if (decision.kind !== 'moved') throw new Error(`the checkout is ${decision.kind}`)
  return decision.change
}

/** The transaction by which a provider proves that it kept its history. */
const writeKnown = (db: Database, signature: Signature) =>
  db.prisma.$transaction((tx) =>
    writeLedger(tx, [
      {
        at: new Date(),
        entries: [
          {
            network: 'live',
            address: FEE_PAYER,
            account: FEE_PAYER,
            asset: 'SOL',
            delta: SOL,
            signature,
            slot: 1n,
            kind: 'deposit',
            subjectId: null,
            transferId: null,
          },
        ],
      },
    ]),
  )
