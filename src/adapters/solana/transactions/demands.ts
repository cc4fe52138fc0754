// What the signer demands of a message: instructions, signers and a lifetime.
import { type Address, address } from '@solana/kit'
import { findAssociatedTokenPda } from '@solana-program/token'
import { isTokenProgram, TOKEN_2022_PROGRAM_ADDRESS } from '#adapters/solana/rpc/token-data.ts'
import type { ApprovePlan, SponsoredPlan } from '#core/billing/approval.ts'
import { type Lifetime, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import type { ClosePlan, Leg, LegsPlan, TokenDetails, TransactionPlan } from '#core/transfers/plan.ts'
import { createLru } from '#lib/lru.ts'
import { HARVEST_WITHHELD_TO_MINT, MEMO_PROGRAM_ADDRESS, memoOf } from './instructions.ts'

/** One instruction of a message; `writable` marks the accounts that it may change. */
export type Found = { readonly program: Address; readonly accounts: readonly Address[]; readonly data: Uint8Array }
export type Demanded = Found & { readonly writable: readonly Address[] }

/** Any of `mayComeFirst`, each at most once and in order, then all of `mustFollow`, and no other instruction. */
export type Demands = { readonly mayComeFirst: readonly Demanded[]; readonly mustFollow: readonly Demanded[] }

/** All that a message may do. The first signer is the fee payer. */
export type Expected = {
  readonly lifetime: Lifetime
  readonly signers: readonly Address[]
  readonly demands: Demands
}

export class MessageMismatch extends Error {
  constructor(what: string) {
    super(`The signer refuses: ${what}.`)
    this.name = 'MessageMismatch'
  }
}

// The signer's own layout of the system program: transfers of SOL.

const SYSTEM_PROGRAM = address('11111111111111111111111111111111')

function solTransfer(source: Address, { destination, amount }: Pick<Leg, 'destination' | 'amount'>): Demanded {
  const data = new Uint8Array(12)
  const view = new DataView(data.buffer)
  view.setUint32(0, 2, true)
  view.setBigUint64(4, amount, true)
  const accounts = [source, destination]
  return { program: SYSTEM_PROGRAM, accounts, writable: accounts, data }
}

// The signer's own layouts of the token programs: transfers along legs, closing, and approving or
// revoking a delegate.

const ASSOCIATED_TOKEN_PROGRAM = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')

async function legsDemands(plan: LegsPlan, feePayer: Address): Promise<Demands> {
  const { legs, source, authority, token } = plan
  if (legs.length === 0 || legs.some((leg) => leg.amount === 0n || leg.destination === source))
    throw new MessageMismatch('the plan has a leg that moves nothing')
  if (plan.asset !== (token === null ? SOL : token.mint)) throw new MessageMismatch('the plan’s asset is not its token')
  if (token === null) return { mayComeFirst: [], mustFollow: legs.map((leg) => solTransfer(source, leg)) }

  const from = await sourceAccount(plan, token)
  const creates: Demanded[] = []
  const mustFollow: Demanded[] = plan.memo === undefined ? [] : [memo(plan.memo)]
  for (const wallet of new Set(legs.map((leg) => leg.destination)))
    creates.push(tokenAccountCreation(feePayer, wallet, await tokenAccount(wallet, token), token))
  for (const leg of legs) {
    if (token.tokenProgram === TOKEN_2022_PROGRAM_ADDRESS) mustFollow.push(memo(memoOf(leg)))
    mustFollow.push(tokenTransfer(authority.address, from, await tokenAccount(leg.destination, token), leg, token))
  }
  return { mayComeFirst: creates, mustFollow }
}

async function closeDemands(plan: ClosePlan, feePayer: Address): Promise<Demands> {
  const { token, source } = plan
  if (token.mint === WRAPPED_SOL_MINT) throw new MessageMismatch('closing a wrapped-SOL account pays its content out')
  const account = await sourceAccount(plan, token)
  const program = token.tokenProgram
  const accounts = [token.mint, account]
  const harvest = { program, accounts, writable: accounts, data: Uint8Array.from(HARVEST_WITHHELD_TO_MINT) }
  const close = {
    program,
    accounts: [account, feePayer, source],
    writable: [account, feePayer],
    data: Uint8Array.of(9),
  }
  return { mayComeFirst: [], mustFollow: plan.harvestWithheld ? [harvest, close] : [close] }
}

/**
 * Returns the token account that the plan names, or the associated one. The chain lets the authority move tokens of an account
 * of its own only, and the instruction names the mint.
 */
const sourceAccount = async (plan: LegsPlan | ClosePlan, token: TokenDetails): Promise<Address> =>
  plan.sourceAccount ?? (await tokenAccount(plan.source, token))

/** By owner, mint and token program. Many transactions have the same receivers, and a search takes a millisecond. */
const found = createLru<string, Address>(1_024)

async function tokenAccount(owner: Address, { mint, tokenProgram }: TokenDetails): Promise<Address> {
  if (!isTokenProgram(tokenProgram)) throw new MessageMismatch('an unknown token program')
  const key = `${owner} ${mint} ${tokenProgram}`
  const known = found.get(key)
  if (known !== undefined) return known
  const [account] = await findAssociatedTokenPda({ owner, mint, tokenProgram })
  found.set(key, account)
  return account
}

function tokenTransfer(authority: Address, from: Address, to: Address, leg: Leg, token: TokenDetails): Demanded {
  const data = new Uint8Array(10)
  data[0] = 12
  new DataView(data.buffer).setBigUint64(1, leg.amount, true)
  data[9] = token.decimals
  return { program: token.tokenProgram, accounts: [from, token.mint, to, authority], writable: [from, to], data }
}

const tokenAccountCreation = (payer: Address, owner: Address, account: Address, token: TokenDetails): Demanded => ({
  program: ASSOCIATED_TOKEN_PROGRAM,
  accounts: [payer, account, owner, token.mint, SYSTEM_PROGRAM, token.tokenProgram],
  writable: [payer, account],
  data: Uint8Array.of(1),
})

const memo = (text: string): Demanded => ({
  program: MEMO_PROGRAM_ADDRESS,
  accounts: [],
  writable: [],
  data: new TextEncoder().encode(text),
})

/** Demands an allowance for one delegate, or the end of every allowance, on the owner's associated token account. */
export async function sponsoredDemands(plan: SponsoredPlan, delegate: Address): Promise<Demands> {
  const account = await tokenAccount(plan.owner, plan.token)
  const demanded = plan.kind === 'approve' ? approval(plan, account, delegate) : revocation(plan, account)
  return { mayComeFirst: [], mustFollow: [demanded] }
}

function approval({ owner, token, total }: ApprovePlan, account: Address, delegate: Address): Demanded {
  if (total === 0n) throw new MessageMismatch('an allowance of nothing')
  const data = new Uint8Array(10)
  data[0] = 13
  new DataView(data.buffer).setBigUint64(1, total, true)
  data[9] = token.decimals
  return {
    program: token.tokenProgram,
    accounts: [account, token.mint, delegate, owner],
    writable: [account],
    data,
  }
}

const revocation = ({ owner, token }: SponsoredPlan, account: Address): Demanded => ({
  program: token.tokenProgram,
  accounts: [account, owner],
  writable: [account],
  data: Uint8Array.of(5),
})

// What the signer demands of the message of a transfer, and which of the service's keys may sign for it.

/** Throws MessageMismatch for a plan that no message may carry out. */
export async function demandsOf(plan: TransactionPlan, feePayer: Address): Promise<Demands> {
  checkKeys(plan)
  switch (plan.kind) {
    case 'legs':
      return await legsDemands(plan, feePayer)
    case 'close':
      return await closeDemands(plan, feePayer)
  }
}

/** Checks the keys. The fee payer and the delegate each sign for their own purpose only. */
function checkKeys(plan: TransactionPlan): void {
  const { source, authority } = plan
  if (authority.address === source) {
    if (authority.key.branch !== 'deposit') throw new MessageMismatch('a service key pays out its own balance')
    return
  }
  if (plan.kind === 'close' || plan.token === null) throw new MessageMismatch('a delegate can only move a token')
  if (authority.key.branch !== 'delegate') throw new MessageMismatch('another key than the delegate’s pulls')
  if (plan.memo === undefined) throw new MessageMismatch('a pull without the memo that names it')
}
