// Checks the spending of the fee payer: limited for each payment, and never on the account of a stranger. Reads the
// transactions of the chain.
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { type SimulatedChain, timeOf } from '../chain/chain.ts'
import type { Landed } from '../chain/landed.ts'
import type { Stage } from '../stage.ts'
import type { watchAttempts } from './attempts.ts'
import type { Evidence, Inflow } from './evidence.ts'
import { sum } from './figures.ts'
import type { Findings } from './findings.ts'

// What an amount of an asset is worth at most. A token costs a dollar.

/** SOL is never below 150 dollars, and prices may be an hour old, in which it changes by up to six percent. */
const LAMPORTS_OF_A_DOLLAR = 7_100_000n

/** Returns lamports, rounded up; zero for a token that has no price. */
export function lamportsWorth({ mints }: Pick<Stage, 'mints'>, asset: Asset, amount: bigint): bigint {
  const mint = mints.get(asset)
  if (asset === SOL) return amount
  return mint === undefined ? 0n : (amount * LAMPORTS_OF_A_DOLLAR) / 10n ** BigInt(mint.decimals) + 1n
}

/** Lamports that one transaction may cost without rent: two signatures and a priority fee. */
const TRANSACTION = 20_000n
/** Transactions that an address may cost in any case: the rounds of its settlement, closed accounts. */
const ROUNDS = 12n
/** Transactions that each payment to it may cost: its return, a failed round, a closed account. */
const FOR_EACH_PAYMENT = 3n

/** Lamports that the transaction of a return costs at least. */
const LEAST_FEE = 10_000n

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Thirty days, less than two for clocks that are a day off. */
const BETWEEN_PAYOUT_ACCOUNTS_MS = 28 * DAY_MS

/** Returns the token accounts that a transaction created, with the wallet and the amount that arrived. */
type MadeAccount = { readonly wallet: Address; readonly mint: Address; readonly amount: bigint; readonly rent: bigint }

const madeBy = ({ effects, before }: Landed): readonly MadeAccount[] =>
  effects.flatMap((effect): MadeAccount[] => {
    const { account, asset, delta } = effect
    if (asset !== SOL || delta <= 0n || before.get(account) !== null) return []
    const arrived = effects.find((other) => other.account === account && other.asset !== SOL)
    if (arrived === undefined || arrived.asset === SOL) return []
    return [{ wallet: arrived.owner, mint: arrived.asset, amount: arrived.delta, rent: delta }]
  })

export type Spend = ReturnType<typeof watchSpend>

export function watchSpend(
  chain: Pick<SimulatedChain, 'all' | 'finalized'>,
  stage: Pick<Stage, 'feePayer' | 'refundBudget' | 'payees' | 'mints'>,
  evidence: Pick<Evidence, 'inflows'>,
  findings: Findings,
  {
    rolesOf,
    keyOf,
    signedAt,
    isForgotten,
  }: Pick<ReturnType<typeof watchAttempts>, 'rolesOf' | 'keyOf' | 'signedAt' | 'isForgotten'>,
) {
  const { feePayer, refundBudget, payees } = stage
  const spentBy = (transactions: readonly Landed[]): bigint =>
    -sum(
      transactions.flatMap(({ effects }) =>
        effects.flatMap(({ account, asset, delta }) => (account === feePayer && asset === SOL ? [delta] : [])),
      ),
    )

  const isWorthAReturn = ({ asset, amount }: Inflow): boolean => lamportsWorth(stage, asset, amount) > LEAST_FEE

  /** Each wallet gets back more than the transaction costs. An excess goes back with a sweep, which is made anyway. */
  const checkWorth = ({ signature, error, effects, fee }: Landed): void => {
    if (error !== null || !isRefund(rolesOf(signature, null))) return
    const wallets = Map.groupBy(
      effects.filter(({ owner, delta }) => delta > 0n && rolesOf(signature, owner).has('refund')),
      ({ owner }) => owner,
    )
    for (const [wallet, own] of wallets) {
      const back = sum(own.map(({ asset, delta }) => lamportsWorth(stage, asset, delta)))
      findings.check(
        'a refund is worth its fee',
        back > fee,
        () => `${signature}: ${wallet} got ${own.map((one) => `${one.delta} ${one.asset}`)} for ${fee} lamports`,
      )
    }
  }

  return {
    /**
     * A transfer of SOL repays its cost, except a rent reserve and a release. Only a business, or the operator who releases money,
     * gets an account at the fee payer's expense.
     */
    onLanded(landed: Landed): void {
      if (landed.keys[0] !== feePayer || landed.error !== null) return
      if (repaysItsCost(keyOf(landed.signature) ?? '') && movesSol(landed))
        findings.check(
          'a transfer of SOL repays its cost',
          spentBy([landed]) <= 0n,
          () => `${keyOf(landed.signature)}: ${spentBy([landed])} lamports more than it repaid`,
        )
      for (const { wallet, mint, amount, rent } of madeBy(landed)) {
        const roles = rolesOf(landed.signature, wallet)
        const isRefund = keyOf(landed.signature)?.startsWith('refund:') || roles.has('refund') || roles.has('buyer')
        findings.check(
          'no account is made for a refund',
          !isRefund,
          () => `${landed.signature}: ${rent} lamports for ${amount} ${mint} to ${wallet}`,
        )
      }
    },

    /**
     * A database that has forgotten a refund does not know its cost.
     * When a refund is signed, the refunds that landed in the hour or the day before, or that were signed before and land
     * later, cost no more with it than the budget. Every instance must know the time.
     */
    checkBudgets(): void {
      const refunds = chain.all().flatMap((landed) => {
        const at = signedAt(landed.signature)
        if (landed.keys[0] !== feePayer || landed.slot > chain.finalized || at === null) return []
        if (isForgotten(landed.signature)) return []
        if (!isRefund(rolesOf(landed.signature, null))) return []
        const cost = spentBy([landed])
        return [{ signedAt: at, landedAt: timeOf(landed.slot).getTime(), cost: cost > 0n ? cost : 0n }]
      })
      for (const { signedAt: now } of refunds) {
        const earlier = refunds.filter((one) => one.signedAt <= now)
        for (const [name, ms, most] of [
          ['hour', HOUR_MS, refundBudget.perHour],
          ['day', DAY_MS, refundBudget.perDay],
        ] as const) {
          const spent = sum(earlier.filter(({ landedAt }) => landedAt > now - ms).map(({ cost }) => cost))
          findings.check(
            'refunds cost no more than the budget of an hour and a day',
            spent <= most,
            () => `${spent} lamports in the ${name} before ${new Date(now).toISOString()}, at most ${most}`,
          )
        }
      }
    },

    /** The fee payer gives a business one account for each token in 30 days. */
    checkPayouts(): void {
      const made = chain
        .all()
        .filter(({ keys, error, slot }) => keys[0] === feePayer && error === null && slot <= chain.finalized)
        .flatMap((landed) => madeBy(landed).map((one) => ({ ...one, landed, at: timeOf(landed.slot).getTime() })))
        .filter(({ landed, wallet }) => isPayout(rolesOf(landed.signature, wallet)))
      const last = new Map<string, number>()
      for (const { wallet, mint, at, landed } of made.sort((a, b) => a.at - b.at)) {
        const owner = payees.find(({ wallets }) => wallets.some(({ address }) => address === wallet))
        const key = `${owner?.accountId} ${mint}`
        const since = at - (last.get(key) ?? Number.NEGATIVE_INFINITY)
        findings.check(
          'a business gets one account for each token',
          since >= BETWEEN_PAYOUT_ACCOUNTS_MS,
          () => `${landed.signature}: ${key}, ${since / DAY_MS} days after the last one`,
        )
        last.set(key, at)
      }
    },

    /** The cost of a payment address is in proportion to its payments. */
    checkAddress(address: Address, what: string): void {
      const own = chain
        .all()
        .filter(({ keys, slot }) => keys[0] === feePayer && slot <= chain.finalized && keys.includes(address))
      const spent = spentBy(own)
      const rents = sum(
        own
          .filter(({ error }) => error === null)
          .flatMap(madeBy)
          .map(({ rent }) => rent),
      )
      const payments = BigInt(evidence.inflows(address).filter(isWorthAReturn).length)
      const bound = TRANSACTION * (ROUNDS + FOR_EACH_PAYMENT * payments)
      findings.check(
        'the fee payer spends in proportion to payments',
        spent - rents <= bound,
        () => `${what}: ${spent} lamports, ${rents} of them rent, for ${payments} payments`,
      )
      for (const landed of own) checkWorth(landed)
      const returns = own.filter(({ signature }) => isRefund(rolesOf(signature, null)))
      findings.check(
        'the refunds of a payment cost no more than their budget',
        spentBy(returns) <= refundBudget.perSubject,
        () => `${what}: ${spentBy(returns)} lamports for refunds alone`,
      )
    },
  }
}

const repaysItsCost = (key: string): boolean => /^(sweep|refund):/.test(key) && !key.endsWith(':rest')

/** Returns whether a transfer takes SOL from a wallet, and not from the token account of one. */
const movesSol = ({ effects, signers, keys }: Landed): boolean =>
  effects.some(({ account, asset, delta }) => asset === SOL && delta < 0n && keys.slice(1, signers).includes(account))

const isPayout = (roles: ReadonlySet<string>): boolean =>
  ['merchant', 'seller', 'payout'].some((role) => roles.has(role))

const isRefund = (roles: ReadonlySet<string>): boolean =>
  roles.has('refund') && !roles.has('merchant') && !roles.has('seller')
