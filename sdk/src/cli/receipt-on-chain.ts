// Compares a receipt with the transactions that it names, as the chain has them.
import type { ChargeReceipt, Others, PaymentReceipt, Receipt, RefundReceipt } from '../generated/receipts/shape.ts'

type SettledReceipt = PaymentReceipt | ChargeReceipt

/** The parts of an answer to `getTransaction` that are read. Balances are integers, or digits where they are long. */
export type LandedTransaction = {
  readonly slot: number
  readonly blockTime: number | null
  readonly transaction: {
    readonly message: {
      readonly accountKeys: readonly string[]
      readonly header: { readonly numRequiredSignatures: number }
    }
  }
  readonly meta: {
    readonly err: unknown
    readonly preBalances: readonly (number | string)[]
    readonly postBalances: readonly (number | string)[]
    readonly preTokenBalances?: readonly TokenBalance[] | null
    readonly postTokenBalances?: readonly TokenBalance[] | null
    readonly loadedAddresses?: { readonly writable: readonly string[]; readonly readonly: readonly string[] }
  }
}
type TokenBalance = {
  readonly accountIndex: number
  readonly mint: string
  readonly owner?: string
  readonly uiTokenAmount: { readonly amount: string }
}

/** Returns the transactions that a receipt names, each once. */
export const signaturesIn = (receipt: Receipt): readonly string[] => [
  ...new Set(
    [...movementsIn(receipt), ...depositsIn(receipt), ...paymentsIn(receipt)].map(({ signature }) => signature),
  ),
]

const depositsIn = (receipt: Receipt) => (receipt.kind === 'payment' ? receipt.deposits : [])
const movementsIn = (receipt: Receipt) =>
  receipt.kind === 'refund' ? [] : [...receipt.settlement.legs, ...(receipt.kind === 'payment' ? receipt.returned : [])]
/** The transactions that paid a refund. */
const paymentsIn = (receipt: Receipt) => (receipt.kind === 'refund' ? receipt.transactions : [])

/** By signature. null for one that the provider does not know, or that is not final. */
export type OnChain = ReadonlyMap<string, LandedTransaction | null>

/** Returns the transactions that a receipt names and that are not known, each once. */
export const unknownIn = (receipt: Receipt, transactions: OnChain): readonly string[] =>
  signaturesIn(receipt).filter((signature) => transactions.get(signature) == null)

/** Entries that have no signature, so that no chain confirms them. */
export type Unchecked = Others & { readonly list: 'received' | 'returned' | 'paid' }

export function uncheckedIn(receipt: Receipt): readonly Unchecked[] {
  if (receipt.kind === 'charge') return []
  if (receipt.kind === 'refund') return receipt.other_transactions.map((one) => ({ list: 'paid', ...one }))
  return [
    ...receipt.other_deposits.map((one) => ({ list: 'received' as const, ...one })),
    ...receipt.other_returned.map((one) => ({ list: 'returned' as const, ...one })),
  ]
}

/** Returns what the chain denies of a receipt, as sentences. It passes over transactions that are not known. */
export function brokenOnChain(receipt: Receipt, transactions: OnChain): readonly string[] {
  const found = new Map<string, Changes>()
  const failed: string[] = []
  for (const signature of signaturesIn(receipt)) {
    const landed = transactions.get(signature)
    if (landed == null) continue
    if (landed.meta.err !== null) failed.push(`The transaction ${signature} failed.`)
    else found.set(signature, new Changes(landed))
  }
  return [
    ...failed,
    ...(receipt.kind === 'refund'
      ? brokenPayments(receipt, found)
      : [...brokenDeposits(receipt, found), ...brokenMoves(receipt, found)]),
  ]
}

/** A transaction can pay several refunds, and then moved more than its part for this one. */
function brokenPayments(receipt: RefundReceipt, found: ReadonlyMap<string, Changes>): readonly string[] {
  const { recipient, mint, reference_key } = receipt
  return receipt.transactions.flatMap(({ signature, amount, paid_by, slot }) => {
    const changes = found.get(signature)
    if (changes === undefined) return []
    const rise = changes.of(recipient, mint)
    return [
      ...(rise >= BigInt(amount) ? [] : [`In ${signature}, ${recipient} received ${rise}, not ${amount}.`]),
      ...(changes.accounts.has(reference_key) ? [] : [`${signature} does not name ${reference_key}.`]),
      ...(paid_by === null || changes.of(paid_by, mint) < 0n ? [] : [`In ${signature}, ${paid_by} did not pay.`]),
      ...(String(changes.slot) === slot ? [] : [`${signature} is in slot ${changes.slot}, not ${slot}.`]),
    ]
  })
}

function brokenDeposits(receipt: SettledReceipt, found: ReadonlyMap<string, Changes>): readonly string[] {
  return depositsIn(receipt).flatMap(({ signature, account, mint, amount, senders, slot, arrived_at }) => {
    const changes = found.get(signature)
    if (changes === undefined) return []
    const rise = changes.ofAccount(account, receipt.address, mint)
    const at = arrived_at === null ? null : Date.parse(arrived_at) / 1_000
    return [
      ...(rise === BigInt(amount) ? [] : [`In ${signature}, ${account} received ${rise}, not ${amount}.`]),
      ...senders
        .filter((sender) => !changes.signers.has(sender) || changes.of(sender, mint) >= 0n)
        .map((sender) => `In ${signature}, ${sender} did not pay.`),
      ...(String(changes.slot) === slot ? [] : [`${signature} is in slot ${changes.slot}, not ${slot}.`]),
      ...(at === null || at === changes.blockTime ? [] : [`${signature} is of another time than ${arrived_at}.`]),
    ]
  })
}

/** Compares what each transaction did to each asset with all that is listed of it. */
function brokenMoves(receipt: SettledReceipt, found: ReadonlyMap<string, Changes>): readonly string[] {
  const deposits = depositsIn(receipt)
  const movements = movementsIn(receipt)
  return [...found].flatMap(([signature, changes]) => {
    const mints = [...deposits, ...movements].flatMap((one) => (one.signature === signature ? [one.mint] : []))
    return [...new Set(mints)].flatMap((mint) => {
      const isOwn = (one: Entry) => one.signature === signature && one.mint === mint
      const came = deposits.filter(isOwn)
      const left = movements.filter(isOwn)
      // The legs of a settlement are all listed. A deposit or return that is listed can have a small part among the others.
      const { more, less } = unlistedOf(receipt, isOwn, mint)
      const kept = sumOf(left.filter(({ destination }) => destination === mint))
      const denied = (what: string, is: bigint, said: bigint, least: bigint, most: bigint) =>
        is >= least && is <= most ? [] : [`In ${signature}, ${what} ${is}, not ${said}.`]
      const net = sumOf(came) - sumOf(left)
      return [
        ...denied(`${receipt.address} gained`, changes.of(receipt.address, mint), net, net - less, net + more),
        ...[...new Set(left.map(({ destination }) => destination))].flatMap((to) => {
          const sum = sumOf(left.filter(({ destination }) => destination === to))
          return to === mint ? [] : denied(`${to} received`, changes.of(to, mint), sum, sum, sum + less)
        }),
        // What a mint keeps is in no balance of it.
        ...(mint === null || left.length === 0
          ? []
          : denied(`${mint} kept`, -changes.all(mint), kept, kept, kept + less)),
      ]
    })
  })
}

type Entry = { readonly signature: string; readonly mint: string | null }

/** Returns the most that a transaction can have moved in and out without being listed, in base units. */
function unlistedOf(receipt: SettledReceipt, isOwn: (entry: Entry) => boolean, mint: string | null) {
  if (receipt.kind === 'charge') return { more: 0n, less: 0n }
  const { deposits, other_deposits, returned, other_returned } = receipt
  const othersOf = (listed: readonly Entry[], others: readonly Others[]) =>
    listed.some(isOwn) ? sumOf(others.filter((one) => one.mint === mint)) : 0n
  return { more: othersOf(deposits, other_deposits), less: othersOf(returned, other_returned) }
}

const sumOf = (list: readonly { readonly amount: string }[]): bigint =>
  list.reduce((sum, { amount }) => sum + BigInt(amount), 0n)

type Change = { readonly account: string; readonly owner: string; readonly mint: string | null; readonly by: bigint }

/** What a transaction did to balances. The fee of the network is no part of it. */
class Changes {
  readonly slot: number
  readonly blockTime: number | null
  readonly signers: ReadonlySet<string>
  readonly accounts: ReadonlySet<string>
  readonly #list: readonly Change[]

  constructor({ slot, blockTime, transaction, meta }: LandedTransaction) {
    const { accountKeys, header } = transaction.message
    const accounts = [
      ...accountKeys,
      ...(meta.loadedAddresses?.writable ?? []),
      ...(meta.loadedAddresses?.readonly ?? []),
    ]
    this.slot = slot
    this.blockTime = blockTime
    this.accounts = new Set(accounts)
    this.signers = new Set(accountKeys.slice(0, header.numRequiredSignatures))
    const lamports = accounts.map((account, at): Change => {
      const by = BigInt(meta.postBalances[at] ?? 0) - BigInt(meta.preBalances[at] ?? 0)
      return { account, owner: account, mint: null, by }
    })
    const fee = -lamports.reduce((sum, { by }) => sum + by, 0n)
    const tokens = (list: typeof meta.preTokenBalances, sign: bigint) =>
      (list ?? []).map(({ accountIndex, mint, owner, uiTokenAmount }): Change => {
        const account = accounts[accountIndex] ?? ''
        return { account, owner: owner ?? account, mint, by: sign * BigInt(uiTokenAmount.amount) }
      })
    this.#list = [
      ...lamports,
      { account: '', owner: accounts[0] ?? '', mint: null, by: fee },
      ...tokens(meta.preTokenBalances, -1n),
      ...tokens(meta.postTokenBalances, 1n),
    ]
  }

  /** Returns how much more of an asset the accounts of a wallet have. */
  of(owner: string, mint: string | null): bigint {
    return this.#sum((change) => change.owner === owner && change.mint === mint)
  }

  /** Returns how much more of an asset all accounts together have. */
  all(mint: string): bigint {
    return this.#sum((change) => change.mint === mint)
  }

  /** Returns how much more of an asset an account has that a wallet owns. */
  ofAccount(account: string, owner: string, mint: string | null): bigint {
    return this.#sum((change) => change.account === account && change.owner === owner && change.mint === mint)
  }

  #sum(isWanted: (change: Change) => boolean): bigint {
    return this.#list.filter(isWanted).reduce((sum, { by }) => sum + by, 0n)
  }
}
