// What the sandbox of this machine can do besides the public interface: its clock, its operator and its chain.
import type { SolanaPayments } from '../client.ts'
import { CommandError, type Context } from './context.ts'
import { Wallet } from './wallet.ts'

export type DepositKind = 'exact' | 'under' | 'over' | 'wrong_asset'

type TokenAccount = {
  readonly pubkey: string
  readonly account: { readonly owner: string; readonly data: [string, string] }
}

/** The byte of a token account that says whether it is frozen, and what it is then. */
const STATE_AT = 108
const FROZEN = 2

export class Sandbox {
  readonly client: SolanaPayments
  readonly #context: Context

  constructor(context: Context) {
    this.client = context.client
    this.#context = context
  }

  get #own() {
    const { sandbox } = this.#context
    if (sandbox === null)
      throw new CommandError(
        'This type needs the clock or the operator of the sandbox: run the command in the directory of `npm start`, or pass --data-dir.',
      )
    return sandbox
  }

  /** Pays a payment by a real transaction. */
  async pay(index: number, kind: DepositKind): Promise<void> {
    const query =
      'mutation ($index: Int!, $kind: SimulatedDeposit!) { simulateDeposit(index: $index, kind: $kind) { signature } }'
    await this.client.graphql(query, { index, kind })
  }

  /** Mints dollars to an address: money without a sender. */
  async mintTo(address: string, dollars: bigint): Promise<void> {
    const network = this.#context.key.startsWith('sk_test_') ? 'test' : 'live'
    const input = { network, address, asset: await this.mint(), amount: String(dollars * 1_000_000n) }
    await this.#operate('mutation ($input: FaucetInput!) { faucet(input: $input) { signature } }', { input })
  }

  /** Gives a wallet 1,000 of each asset of the sandbox. */
  async fund(wallet: string): Promise<void> {
    await this.client.graphql('mutation ($wallet: SolanaAddress!) { fundDemoWallet(wallet: $wallet) }', { wallet })
  }

  async newWallet(): Promise<Wallet> {
    const wallet = new Wallet()
    await this.fund(wallet.address)
    return wallet
  }

  /** The stablecoin of the sandbox. */
  async mint(): Promise<string> {
    const { subscriptions } = await this.client.config()
    if (subscriptions === null)
      throw new CommandError('Recurring billing is off: start the sandbox without SUBSCRIPTIONS=0.')
    return subscriptions.mint
  }

  async advanceClock(seconds: number): Promise<void> {
    await this.#operate('mutation ($seconds: Int!) { advanceClock(seconds: $seconds) { now } }', { seconds })
  }

  /** Sends held money to a wallet, as an operator decides. */
  async release(index: number, asset: string, to: string): Promise<void> {
    const input = { intent: String(index), asset, to, reason: 'solana-payments trigger' }
    await this.#operate('mutation ($input: ReleaseHeldInput!) { releaseHeld(input: $input) { status } }', { input })
  }

  /** Runs with another payout wallet of the business, and gives it the one before again. */
  async withPayoutWallet(wallet: string, run: () => Promise<void>): Promise<void> {
    const { business } = await this.client.graphql<Business>('{ business { id sweepDestination } }')
    const change = (sweepDestination: string | null) =>
      this.#operate(
        'mutation ($id: UUID!, $wallet: SolanaAddress) { updateAccount(id: $id, input: { sweepDestination: $wallet }) { id } }',
        { id: business.id, wallet: sweepDestination },
      )
    await change(wallet)
    try {
      await run()
    } finally {
      await change(business.sweepDestination)
    }
  }

  /** Freezes the account of a wallet for the stablecoin, as its issuer can. */
  async freeze(wallet: string): Promise<void> {
    const { pubkey, account } = await this.#tokenAccount(wallet)
    const data = Buffer.from(account.data[0], 'base64')
    data[STATE_AT] = FROZEN
    await this.#chain('surfnet_setAccount', [pubkey, { data: data.toString('hex') }])
  }

  /** Takes back what a wallet allowed, by a transaction of its own. */
  async revokeAllowance(wallet: Wallet): Promise<void> {
    const { pubkey, account } = await this.#tokenAccount(wallet.address)
    const { value } = await this.#chain<{ value: { blockhash: string } }>('getLatestBlockhash', [])
    await this.send(wallet.revoking(pubkey, account.owner, value.blockhash))
  }

  /** Sends a signed transaction, in base64. */
  async send(transaction: string): Promise<void> {
    await this.#chain('sendTransaction', [transaction, { encoding: 'base64' }])
  }

  async #tokenAccount(wallet: string): Promise<TokenAccount> {
    const params = [wallet, { mint: await this.mint() }, { encoding: 'base64' }]
    const { value } = await this.#chain<{ value: readonly TokenAccount[] }>('getTokenAccountsByOwner', params)
    const [first] = value
    if (first === undefined) throw new CommandError(`${wallet} has no account for the token.`)
    return first
  }

  async #chain<T>(method: string, params: readonly unknown[]): Promise<T> {
    return await resultOf(await post(this.#own.facts.rpc_url, { jsonrpc: '2.0', id: 1, method, params }))
  }

  async #operate(query: string, variables: object): Promise<void> {
    const { facts, operatorToken } = this.#own
    const headers = { authorization: `Bearer ${operatorToken}` }
    await resultOf(await post(`${facts.operator_url}/operator/graphql`, { query, variables }, headers))
  }
}

type Business = { readonly business: { readonly id: string; readonly sweepDestination: string | null } }

const post = (url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(15_000),
  })

async function resultOf(response: Response) {
  const { result, error, errors } = await response.json()
  const [refusal] = errors ?? [error]
  if (refusal) throw new CommandError(`The sandbox refused: ${refusal.message}`)
  return result
}
