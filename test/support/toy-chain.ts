// A small chain with one provider: slots, balances, blockhashes that expire, transactions that land once and are final
// two slots later. Its "transactions" are the plans themselves, so the planned transfer is the one that lands.
import { createHash } from 'node:crypto'
import { getAddressDecoder, getBase58Decoder } from '@solana/kit'
import { makeAddress, makeBlockhash, makeSignature } from '#core/chain/base58.ts'
import {
  type AccountState,
  type Address,
  type Asset,
  type ObservedTransaction,
  type Signature,
  SOL,
} from '#core/chain/types.ts'
import { makeBaseUnits, makeLamports } from '#core/money/amounts.ts'
import type { TransactionPlan } from '#core/transfers/plan.ts'
import type { Chain, DepositKeys } from '#ports/chain.ts'
import type { Signer } from '#ports/transactions.ts'
import { MINT } from './example-intent.ts'
import { pageOf } from './history-page.ts'
import { FEE_PAYER, signatureNo, TOKEN_PROGRAM } from './payment.ts'

// The history of a toy chain: every balance is the sum of the transactions that landed, so it is known at any slot.

const SYSTEM = makeAddress('11111111111111111111111111111111')

type Change = {
  readonly account: Address
  readonly owner: Address
  readonly asset: Asset
  readonly delta: bigint
}
type Landed = {
  readonly slot: bigint
  readonly error: string | null
  readonly changes: readonly Change[]
  /** Transfer fees that the mint withholds in an account, or that were withdrawn from it. */
  readonly withheld: readonly { readonly account: Address; readonly delta: bigint }[]
  readonly fee: bigint
  readonly feePayer: Address
  readonly signers: readonly Address[]
  /** Null for the transactions of people. */
  readonly plan: TransactionPlan | null
}

/** A mint's program, and the share of each transfer that it withholds in the receiving account. */
type ToyMint = { readonly program: Address; readonly feeBps: bigint }

const tokenAccounts = new Map<string, Address>()
/** Invented, but always the same. */
export function tokenAccountOf(owner: Address, mint: Address): Address {
  const name = `${owner} ${mint}`
  const known = tokenAccounts.get(name)
  if (known !== undefined) return known
  const made = getAddressDecoder().decode(createHash('sha256').update(name).digest())
  tokenAccounts.set(name, made)
  return made
}

function createToyLedger() {
  const genesis = new Map<string, { account: Address; owner: Address; asset: Asset; amount: bigint }>()
  const landed = new Map<Signature, Landed>()
  const mints = new Map<Asset, ToyMint>([[MINT, { program: TOKEN_PROGRAM, feeBps: 0n }]])
  const frozen = new Set<Address>()
  const programs = new Map<Address, Address>()

  const balance = (account: Address, asset: Asset, upTo: bigint): bigint => {
    let amount = genesis.get(`${account} ${asset}`)?.amount ?? 0n
    for (const one of landed.values())
      if (one.slot <= upTo)
        for (const change of one.changes)
          if (change.account === account && change.asset === asset) amount += change.delta
    return amount
  }
  const withheld = (account: Address, upTo: bigint): bigint => {
    let amount = 0n
    for (const one of landed.values())
      if (one.slot <= upTo) for (const kept of one.withheld) if (kept.account === account) amount += kept.delta
    return amount
  }
  const tokenOf = (account: Address): { owner: Address; mint: Address } | null => {
    for (const { account: known, owner, asset } of genesis.values())
      if (known === account && asset !== SOL) return { owner, mint: asset }
    for (const { changes } of landed.values())
      for (const { account: known, owner, asset } of changes)
        if (known === account && asset !== SOL) return { owner, mint: asset }
    return null
  }

  return {
    landed,
    balance,
    withheld,
    mints,
    frozen,
    /** Wallets that a program owns. No refund goes there. */
    programs,
    fund(account: Address, amount: bigint, asset: Asset, owner: Address) {
      const key = `${account} ${asset}`
      genesis.set(key, { account, owner, asset, amount: (genesis.get(key)?.amount ?? 0n) + amount })
    },
    state(account: Address, upTo: bigint): AccountState | null {
      const lamports = balance(account, SOL, upTo)
      if (lamports === 0n) return null
      const token = tokenOf(account)
      if (token === null) {
        return { lamports: makeLamports(lamports), ownerProgram: programs.get(account) ?? SYSTEM, token: null }
      }
      return {
        lamports: makeLamports(lamports),
        ownerProgram: mints.get(token.mint)?.program ?? TOKEN_PROGRAM,
        token: {
          ...token,
          amount: makeBaseUnits(balance(account, token.mint, upTo)),
          frozen: frozen.has(account),
          withheld: makeBaseUnits(withheld(account, upTo)),
          delegation: null,
          closeAuthority: null,
        },
      }
    },
    observed: (signature: Signature, one: Landed, blockTime: Date | null): ObservedTransaction => ({
      signature,
      slot: one.slot,
      blockTime,
      error: one.error,
      fee: makeLamports(one.fee),
      feePayer: one.feePayer,
      signers: one.signers,
      accounts: [],
      memos: [],
      changes: one.changes.map(({ delta, ...place }) => ({
        ...place,
        before: makeBaseUnits(balance(place.account, place.asset, one.slot - 1n)),
        after: makeBaseUnits(balance(place.account, place.asset, one.slot - 1n) + delta),
      })),
    }),
  }
}
type ToyLedger = ReturnType<typeof createToyLedger>

// Executes transactions on a toy chain, by the rules of the real chain that matter to money: a balance must be
// sufficient, a wallet keeps nothing or the rent minimum, only an empty account is closed, a frozen account moves
// nothing.

/** Half of that of the chain: see RENT in payment.ts. */
export const WALLET_RENT = 445_440n
export const TOKEN_RENT = 2_039_280n
const PEOPLES_FEE = 5_000n

type Effects = Pick<Landed, 'error' | 'changes' | 'withheld'>
type Payment = {
  readonly from: Address
  readonly to: Address
  readonly asset: Asset
  readonly amount: bigint
  readonly signed: boolean
  readonly at: bigint
}

const placeOf = (owner: Address, asset: Asset, account?: Address): Address =>
  account ?? (asset === SOL ? owner : tokenAccountOf(owner, asset))

type ToyRent = { wallet: bigint; tokenAccount: bigint }

/** `rent`: the minimum of the moment, of a wallet and of a token account. */
function createToyExecution({ balance, withheld, mints, frozen }: ToyLedger, fee: bigint, rent: ToyRent) {
  const paysFee = (payer: Address, amount: bigint): Change => ({
    account: payer,
    owner: payer,
    asset: SOL,
    delta: -amount,
  })
  /** The effects of a failed transaction; with null, those of one that did not run, because its fee payer could not pay. */
  const failure = (error: string | null): Effects => ({
    error: error ?? 'InsufficientFundsForFee',
    changes: error === null ? [] : [paysFee(FEE_PAYER, fee)],
    withheld: [],
  })

  /** One amount to each destination, with the token accounts that the payer has to create for them. */
  const move = (
    source: Pick<TransactionPlan, 'source' | 'sourceAccount'>,
    asset: Asset,
    legs: readonly { readonly destination: Address; readonly amount: bigint }[],
    payer: Address,
    at: bigint,
  ): Omit<Effects, 'error'> => {
    const feeBps = mints.get(asset)?.feeBps ?? 0n
    const sums = new Map<string, Change>()
    const kept: Landed['withheld'][number][] = []
    const add = (change: Change) => {
      const key = `${change.account} ${change.asset}`
      sums.set(key, { ...change, delta: (sums.get(key)?.delta ?? 0n) + change.delta })
    }
    for (const { destination, amount } of legs) {
      const account = placeOf(destination, asset)
      const back = (amount * feeBps + 9_999n) / 10_000n
      add({ account: placeOf(source.source, asset, source.sourceAccount), owner: source.source, asset, delta: -amount })
      add({ account, owner: destination, asset, delta: amount - back })
      if (back > 0n) kept.push({ account, delta: back })
      if (asset === SOL || balance(account, SOL, at) > 0n || sums.has(`${account} ${SOL}`)) continue
      add(paysFee(payer, rent.tokenAccount))
      add({ account, owner: account, asset: SOL, delta: rent.tokenAccount })
    }
    return { changes: [...sums.values()], withheld: kept }
  }

  const close = (plan: TransactionPlan & { kind: 'close' }, at: bigint): Effects => {
    const account = placeOf(plan.source, plan.token.mint, plan.sourceAccount)
    if (balance(account, plan.token.mint, at) > 0n) return failure('not empty')
    const fees = withheld(account, at)
    if (fees > 0n && !plan.harvestWithheld) return failure('fees are withheld')
    const kept = balance(account, SOL, at)
    if (kept === 0n) return failure('no such account')
    return {
      error: null,
      changes: [{ account, owner: account, asset: SOL, delta: -kept }, paysFee(FEE_PAYER, fee - kept)],
      withheld: fees > 0n ? [{ account, delta: -fees }] : [],
    }
  }

  /** Returns whether an empty wallet would have less than the rent minimum. The chain checks it after the whole transaction. */
  const staysBelowRent = ({ legs }: TransactionPlan & { kind: 'legs' }, at: bigint): boolean =>
    legs.some(({ destination }) => {
      const sum = legs.reduce((total, leg) => total + (leg.destination === destination ? leg.amount : 0n), 0n)
      return balance(destination, SOL, at) === 0n && sum < rent.wallet
    })

  const transfer = (plan: TransactionPlan & { kind: 'legs' }, at: bigint): Effects => {
    const account = placeOf(plan.source, plan.asset, plan.sourceAccount)
    if (frozen.has(account)) return failure('frozen')
    const left = plan.legs.reduce((rest, { amount }) => rest - amount, balance(account, plan.asset, at))
    if (left < 0n) return failure('insufficient funds')
    if (plan.asset === SOL && left > 0n && left < rent.wallet) return failure('insufficient funds for rent')
    if (plan.asset === SOL && staysBelowRent(plan, at)) return failure('insufficient funds for rent')
    const { changes, withheld } = move(plan, plan.asset, plan.legs, FEE_PAYER, at)
    return { error: null, changes: merged([paysFee(FEE_PAYER, fee), ...changes]), withheld }
  }

  return {
    failure,
    /** Returns the effect of a plan that lands at this slot, or why it fails. */
    run(plan: TransactionPlan, at: bigint): Effects {
      return plan.kind === 'close' ? close(plan, at) : transfer(plan, at)
    },
    /**
     * Returns the effect of a person's own payment. Another wallet pays the fee of a payment that the person did not
     * sign.
     */
    payment({ from, to, asset, amount, signed, at }: Payment): Omit<Landed, 'slot' | 'error'> {
      const feePayer = signed ? from : to
      const { changes, withheld } = move({ source: from }, asset, [{ destination: to, amount }], from, at)
      const fees = signed ? [paysFee(from, PEOPLES_FEE)] : []
      return {
        changes: merged([...fees, ...changes]),
        withheld,
        fee: signed ? PEOPLES_FEE : 0n,
        feePayer,
        signers: signed ? [from] : [],
        plan: null,
      }
    },
  }
}

/** Returns one change for each account and asset, without changes that add up to zero. */
function merged(changes: readonly Change[]): readonly Change[] {
  const sums = new Map<string, Change>()
  for (const change of changes) {
    const key = `${change.account} ${change.asset}`
    sums.set(key, { ...change, delta: (sums.get(key)?.delta ?? 0n) + change.delta })
  }
  return [...sums.values()].filter(({ delta }) => delta !== 0n)
}

const FINAL_AFTER: bigint = 2n
const TOWER_FINAL_AFTER = 32n
const LIFE = 150n
const FEE = 10_000n
export const SLOT_MS = 200
/** Slots in a minute. */
export const MINUTE = 300n

export const toyKeys: Pick<DepositKeys, 'tokenAccountOf'> = {
  tokenAccountOf: async (owner, mint) => tokenAccountOf(owner, mint),
}

const asText = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part))
const fromText = (text: string): Compiled =>
  JSON.parse(text, (_, part: unknown) =>
    typeof part === 'string' && /^\d+n$/.test(part) ? BigInt(part.slice(0, -1)) : part,
  ) as Compiled
type Compiled = { readonly plan: TransactionPlan }

type ToyChain = Pick<
  Chain,
  | 'readAccounts'
  | 'transaction'
  | 'signatures'
  | 'lifetime'
  | 'broadcast'
  | 'signatureStatuses'
  | 'proveExpired'
  | 'compile'
  | 'minimumBalance'
  | 'blockTime'
>

/** `start` is the time of its first slot, which is number 1,000. */
export function createToyChain(start = new Date(400_000)) {
  let slot = 1_000n
  const ledger = createToyLedger()
  const { landed, balance } = ledger
  const rent = { wallet: WALLET_RENT, tokenAccount: TOKEN_RENT }
  const execution = createToyExecution(ledger, FEE, rent)
  /** The fate of each transaction, in the order in which they are first sent. All later transactions land. */
  const fates: ('lands' | 'is lost' | 'fails' | 'does not run' | 'rent doubles' | 'rent halves')[] = []
  const fateOf = new Map<Signature, (typeof fates)[number]>()
  let broadcasts = 0
  let prunedBelow = 0n
  let finalAfter = FINAL_AFTER

  const final = (): bigint => slot - finalAfter
  /** The rent changes between two blocks, before the one in which a transaction lands. */
  const changeRent = (next: (lamports: bigint) => bigint): void => {
    rent.wallet = next(rent.wallet)
    rent.tokenAccount = next(rent.tokenAccount)
  }
  const timeOf = (at: bigint): Date => new Date(start.getTime() + Number(at - 1_000n) * SLOT_MS)

  const chain: ToyChain = {
    async readAccounts(accounts) {
      return { slot: final(), states: accounts.map((account) => ledger.state(account, final())) }
    },
    async signatures(account, { before = null, until = null }) {
      const listed = [...landed]
        .filter(([, one]) => one.slot <= final() && one.changes.some((change) => change.account === account))
        .map(([signature, { slot: landedAt, error }]) => ({
          signature,
          slot: landedAt,
          failed: error !== null,
        }))
        .reverse()
      return pageOf(listed, { before, until })
    },
    async transaction(signature) {
      const one = landed.get(signature)
      return one === undefined || one.slot > final() ? null : ledger.observed(signature, one, timeOf(one.slot))
    },
    async blockTime() {
      return { slot: final(), time: timeOf(final()) }
    },
    async minimumBalance(bytes) {
      return makeLamports(bytes === 0 ? rent.wallet : rent.tokenAccount)
    },
    async lifetime() {
      return { blockhash: blockhashOf(slot), lastValidBlockHeight: slot + LIFE }
    },
    async compile(plan) {
      return { message: new TextEncoder().encode(asText({ plan })), fee: makeLamports(FEE) }
    },
    async broadcast(wire) {
      broadcasts += 1
      const { plan } = fromText(new TextDecoder().decode(wire))
      const signature = signatureOf(wire)
      if (landed.has(signature) || slot > plan.lifetime.lastValidBlockHeight) return
      const fate = fateOf.get(signature) ?? fates.shift() ?? 'lands'
      fateOf.set(signature, fate)
      if (fate === 'is lost') return
      slot += 1n
      if (fate === 'rent doubles') changeRent((lamports) => lamports * 2n)
      if (fate === 'rent halves') changeRent((lamports) => lamports / 2n)
      const isRun = fate !== 'fails' && fate !== 'does not run'
      const outcome = isRun ? execution.run(plan, slot) : execution.failure(fate === 'fails' ? 'bad luck' : null)
      const fee = fate === 'does not run' ? 0n : FEE
      const paidBy = { fee, feePayer: FEE_PAYER, signers: [FEE_PAYER, plan.source] }
      landed.set(signature, { slot, plan, ...paidBy, ...outcome })
    },
    async signatureStatuses(signatures) {
      return signatures.map((signature) => {
        const one = landed.get(signature)
        if (one === undefined) return null
        return { slot: one.slot, final: one.slot <= final(), error: one.error, doubt: null }
      })
    },
    async proveExpired({ signature, lifetime, knownSignature }) {
      if (landed.has(signature)) return { expired: false, because: 'landed', detail: 'it exists' }
      const known = landed.get(knownSignature)?.slot ?? 0n
      if (known < prunedBelow)
        return { expired: false, because: 'unproven', detail: 'does not know the required transaction' }
      const height = final()
      if (height <= lifetime.lastValidBlockHeight + 1n)
        return { expired: false, because: 'not_yet', detail: 'too early' }
      return { expired: true, providers: 1 }
    },
  }

  return {
    chain,
    fates,
    mints: ledger.mints,
    frozen: ledger.frozen,
    programs: ledger.programs,
    pass(slots: bigint) {
      slot += slots
    },
    fund(account: Address, amount: bigint, asset: Asset = SOL, owner: Address = account) {
      ledger.fund(account, amount, asset, owner)
    },
    /**
     * A person pays a wallet with a transaction of their own, and creates the token account if it does not exist;
     * `signed` by them or not.
     */
    pay(from: Address, to: Address, asset: Asset, amount: bigint, signed = true): Signature {
      slot += 1n
      const signature = signatureNo(2_000 + landed.size)
      landed.set(signature, { slot, error: null, ...execution.payment({ from, to, asset, amount, signed, at: slot }) })
      return signature
    },
    /** A block is final after 32 slots, as under TowerBFT. */
    runTowerBft() {
      finalAfter = TOWER_FINAL_AFTER
    },
    /** Its provider forgets the history of all earlier slots. */
    prune(slots: bigint) {
      prunedBelow = slot - slots
    },
    balance: (account: Address, asset: Asset = SOL) => balance(account, asset, slot),
    /** The transactions that the service sent. */
    landed: () => [...landed.values()].filter(({ plan }) => plan !== null),
    broadcasts: () => broadcasts,
    /** The time of its newest slot. */
    now: () => timeOf(slot),
  }
}

/** Cached, because Base58 is slow and many runs use the same names. */
function remembered<T>(make: (hash: Buffer) => T): (hash: Buffer) => T {
  const made = new Map<string, T>()
  return (hash) => {
    const name = hash.toString('latin1')
    const known = made.get(name)
    if (known !== undefined) return known
    if (made.size > 10_000) made.clear()
    const one = make(hash)
    made.set(name, one)
    return one
  }
}
const signatureFrom = remembered((hash) => makeSignature(getBase58Decoder().decode(hash)))
const signatureOf = (wire: Uint8Array): Signature => signatureFrom(createHash('sha512').update(wire).digest())
const blockhashFrom = remembered((hash) => makeBlockhash(getAddressDecoder().decode(hash)))
const blockhashOf = (slot: bigint) => blockhashFrom(createHash('sha256').update(`block ${slot}`).digest())

/** Signs the planned message only; the same message gives the same bytes. */
export const toySigner: Signer = {
  async sign(plan, message) {
    const said = fromText(new TextDecoder().decode(message))
    if (asText(said.plan) !== asText(plan)) return { refused: 'The message is not the plan’s.' }
    return { wire: message, signature: signatureOf(message) }
  },
  sponsor: async () => ({ refused: 'The toy chain has no approves.' }),
}
