// Compares a receipt with the transactions that it names, as the chain has them.
import type { ChargeReceipt, PaymentReceipt, Receipt, RefundReceipt } from '../generated/receipts/shape.ts'

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

export type OnChain = {
  readonly genesisHash: string
  /** By signature. null for one that the provider does not know, or that is not final. */
  readonly transactions: ReadonlyMap<string, LandedTransaction | null>
}

/** Returns what the chain does not confirm, as sentences; none when it confirms every transaction that is named. */
export function brokenOnChain(receipt: Receipt, { genesisHash, transactions }: OnChain): readonly string[] {
  const found = new Map<string, Changes>()
  const missing: string[] = []
  for (const signature of signaturesIn(receipt)) {
    const landed = transactions.get(signature)
    if (landed == null) missing.push(`The chain does not know the transaction ${signature}.`)
    else if (landed.meta.err !== null) missing.push(`The transaction ${signature} failed.`)
    else found.set(signature, new Changes(landed))
  }
  return [
    ...(genesisHash === receipt.genesis_hash ? [] : [`The provider is of another chain: ${genesisHash}.`]),
    ...missing,
    ...(receipt.kind === 'refund'
      ? brokenPayments(receipt, found)
      : [...brokenDeposits(receipt, found), ...brokenMovements(receipt, found)]),
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

function brokenMovements(receipt: SettledReceipt, found: ReadonlyMap<string, Changes>): readonly string[] {
  const broken: string[] = []
  const paid = new Map<string, Map<string, bigint>>()
  const left = new Map<string, Map<string, bigint>>()
  for (const { signature, mint, destination, amount } of movementsIn(receipt)) {
    const to = `${mint ?? ''} ${destination}`
    add(left, signature, mint ?? '', BigInt(amount))
    // What a mint keeps stays in the accounts of the recipients.
    if (destination !== mint) add(paid, signature, to, BigInt(amount))
  }
  for (const [signature, changes] of found) {
    for (const [mint, amount] of left.get(signature) ?? []) {
      const fall = -changes.of(receipt.address, mint === '' ? null : mint)
      if (fall !== amount) broken.push(`In ${signature}, ${fall} left ${receipt.address}, not ${amount}.`)
    }
    for (const [to, amount] of paid.get(signature) ?? []) {
      const [mint = '', destination = ''] = to.split(' ')
      const rise = changes.of(destination, mint === '' ? null : mint)
      if (rise !== amount) broken.push(`In ${signature}, ${destination} received ${rise}, not ${amount}.`)
    }
  }
  return broken
}

function add(sums: Map<string, Map<string, bigint>>, signature: string, name: string, amount: bigint): void {
  const own = sums.get(signature) ?? new Map<string, bigint>()
  own.set(name, (own.get(name) ?? 0n) + amount)
  sums.set(signature, own)
}

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

  /** Returns how much more of an asset an account has that a wallet owns. */
  ofAccount(account: string, owner: string, mint: string | null): bigint {
    return this.#sum((change) => change.account === account && change.owner === owner && change.mint === mint)
  }

  #sum(isWanted: (change: Change) => boolean): bigint {
    return this.#list.filter(isWanted).reduce((sum, { by }) => sum + by, 0n)
  }
}
