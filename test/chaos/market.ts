// The marketplace: it sells for itself and for one seller. What each of its wallets must contain at the end.
import { type Address, address, createSolanaRpc, generateKeyPairSigner } from '@solana/kit'
import type { Course } from './customers.ts'
import type { Business, Stage } from './stage.ts'

const CUT_BPS = 1_000n
const NETWORK_FEE = 10_000n

export type Market = Business & {
  /** Where the cuts go. */
  readonly feeWallet: Address
  readonly seller: { readonly id: string; readonly wallet: Address }
}

/** Lets the business take payments for a seller. */
export async function openMarket({ apiUrl, operator }: Stage, business: Business): Promise<Market> {
  const [feeWallet, wallet] = [(await generateKeyPairSigner()).address, (await generateKeyPairSigner()).address]
  const terms = ['--default-fee-bps', String(CUT_BPS), '--fee-wallet', feeWallet]
  const approved = await operator('marketplace', 'approve', business.accountId, ...terms)
  if (approved.code !== 0) throw new Error(approved.errors)
  const response = await fetch(`${apiUrl}/marketplace/sellers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${business.apiKey}` },
    body: JSON.stringify({ name: 'Chaos Seller', sweep_destination: wallet }),
  })
  if (!response.ok) throw new Error(`no seller: ${response.status} ${await response.text()}`)
  const { id } = await response.json()
  return { ...business, feeWallet, seller: { id, wallet } }
}

/** Checks the outcome of a payment by its kind. The network fee and the cut are taken out of a settlement in SOL. */
export function judge({ index, kind, ticker, forSeller, status, settled, cut, expected }: Course): readonly string[] {
  const isReturned = kind === 'under, cancelled'
  const isSol = ticker === 'SOL'
  const dueCut = isSol && forSeller && !isReturned ? (expected * CUT_BPS) / 10_000n : 0n
  const due = isReturned ? 0n : expected - dueCut - (isSol ? NETWORK_FEE : 0n)
  const right = status === (isReturned ? 'refunded' : 'swept') && settled === due && cut === dueCut
  const name = `${kind}, ${ticker}${forSeller ? ', for a seller' : ''}`
  return right
    ? []
    : [`payment ${index} (${name}) is ${status} and settled ${settled} and ${cut} instead of ${due} and ${dueCut}`]
}

/** Checks that each wallet has the sum of its settlements or cuts: not less, and nothing twice. */
export async function walletProblems(
  stage: Stage,
  { wallet, seller, feeWallet }: Market,
  courses: readonly Course[],
): Promise<readonly string[]> {
  const own = courses.filter(({ forSeller }) => !forSeller)
  const sold = courses.filter(({ forSeller }) => forSeller)
  const settled = (some: readonly Course[]) => sums(some, (course) => course.settled)
  const checks = [
    checkWallet(stage, 'the business', address(wallet), settled(own)),
    checkWallet(stage, 'the seller', seller.wallet, settled(sold)),
    checkWallet(
      stage,
      'the fee wallet',
      feeWallet,
      sums(sold, ({ cut }) => cut),
    ),
  ]
  return (await Promise.all(checks)).flat()
}

/** Returns the sum of the amounts of each asset, by ticker. */
const sums = (courses: readonly Course[], amountOf: (course: Course) => bigint): ReadonlyMap<string, bigint> =>
  new Map(
    [...Map.groupBy(courses, ({ ticker }) => ticker)].map(([ticker, some]) => [
      ticker,
      some.reduce((sum, course) => sum + amountOf(course), 0n),
    ]),
  )

async function checkWallet(
  { rpcUrl, mints }: Stage,
  name: string,
  wallet: Address,
  due: ReadonlyMap<string, bigint>,
): Promise<readonly string[]> {
  const rpc = createSolanaRpc(rpcUrl)
  const has = new Map<string, bigint>([['SOL', (await rpc.getBalance(wallet).send()).value]])
  for (const { ticker, mint } of mints) {
    const { value } = await rpc.getTokenAccountsByOwner(wallet, { mint }, { encoding: 'jsonParsed' }).send()
    const amounts = value.map(({ account }) => BigInt(account.data.parsed.info.tokenAmount.amount))
    has.set(
      ticker,
      amounts.reduce((sum, amount) => sum + amount, 0n),
    )
  }
  return [...has]
    .filter(([ticker, amount]) => amount !== (due.get(ticker) ?? 0n))
    .map(([ticker, amount]) => `${name} has ${amount} of ${ticker} and was due ${due.get(ticker) ?? 0n}`)
}
