// The parts that are never killed: a PostgreSQL server, a chain in its own process, and a business that can be paid.
import { rmSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { loadMasterSeed, newMnemonic } from '#adapters/solana/keys/seed.ts'
import { DEMO_CONSENT } from '#compose/demo-business.ts'
import { runOperator } from '#operator/program.ts'
import { type DemoMint, prepareDemoChain } from '#sandbox/chain/demo-chain.ts'
import { startEmbeddedChain } from '#sandbox/chain/embedded-chain.ts'
import { freePort } from '../support/free-port.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { INHERITED } from '../support/spawned-program.ts'

const SLOT_MS = 50
const OPERATOR_TOKEN = 'op_chaos_0123456789abcdef0123456789abcdef'

export type Stage = {
  readonly databaseUrl: string
  readonly rpcUrl: string
  readonly apiUrl: string
  readonly buyer: KeyPairSigner
  readonly mints: readonly DemoMint[]
  /** The settings of every process of the service, except its role. */
  readonly settings: Readonly<Record<string, string>>
  /** Runs a command of the operator. Returns its exit code, its standard output and its standard error. */
  operator(...args: readonly string[]): Promise<{ code: number; printed: string; errors: string }>
  stop(): Promise<void>
}

export async function raiseStage(): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'chaos-'))
  // PostgreSQL may run as another user.
  await chmod(directory, 0o711)
  await using cleanup = new AsyncDisposableStack()
  const removeNow = (): void => rmSync(directory, { recursive: true, force: true })
  // Stops everything at once, for an interrupted run.
  process.once('exit', removeNow)
  cleanup.defer(async () => {
    process.off('exit', removeNow)
    await rm(directory, { recursive: true, force: true })
  })
  const postgres = await startPostgresServer(join(directory, 'postgres'))
  cleanup.defer(() => postgres.stop())
  const chain = await startEmbeddedChain({ dataDir: directory, slotTimeMs: SLOT_MS })
  cleanup.defer(() => chain.stop())
  const mnemonic = newMnemonic()
  const keys = createDepositKeys(loadMasterSeed(mnemonic))
  const feePayer = keys.addressOf({ network: 'live', branch: 'fee_payer' })
  const { mints, buyer } = await prepareDemoChain({ rpcUrl: chain.rpcUrl, dataDir: directory, feePayers: [feePayer] })
  const port = await freePort()
  const apiUrl = `http://127.0.0.1:${port}`
  const running = cleanup.move()
  return {
    databaseUrl: `${postgres.url}/postgres`,
    rpcUrl: chain.rpcUrl,
    apiUrl,
    buyer,
    mints: [mints.usd, mints.token2022],
    settings: {
      ...INHERITED,
      DATA_DIR: join(directory, 'service'),
      DATABASE_URL: `${postgres.url}/postgres`,
      SOLANA_RPC_URL: chain.rpcUrl,
      SOLANA_WS_URL: chain.wsUrl,
      MASTER_SEED: mnemonic,
      OPERATOR_TOKEN,
      PORT: String(port),
      PRICE_FEEDS: 'fixed:SOL=150,USDD=1,DEMO=0.25',
      PRIORITY_FEE_MICROLAMPORTS: '0',
      SANDBOX: '1',
      RATE_LIMITS: '0',
      LOG_LEVEL: 'error',
    },
    async operator(...args) {
      const printed: string[] = []
      const errors: string[] = []
      const as = ['--url', apiUrl, '--token', OPERATOR_TOKEN, '--json']
      const terminal = { out: (line: string) => void printed.push(line), err: (line: string) => void errors.push(line) }
      const code = await runOperator([...as, ...args], {}, terminal)
      return { code, printed: printed.join('\n'), errors: errors.join('\n') }
    },
    stop: () => running.disposeAsync(),
  }
}

/** A marketplace, which sells for itself and for one seller. */
export type Business = {
  readonly accountId: string
  readonly apiKey: string
  readonly wallet: string
}

/** Allows SOL and the two tokens, and creates a business that settles to a new wallet. */
export async function openBusiness({ operator, mints }: Stage): Promise<Business> {
  const tokens = [{ mint: 'SOL', name: 'Solana', ticker: 'SOL' }, ...mints]
  for (const { mint, name, ticker } of tokens) {
    const allow = ['token', 'allow', '--network', 'live', '--mint', mint, '--name', name, '--ticker', ticker]
    allow.push('--consent', DEMO_CONSENT.join(','))
    const { code, errors } = await operator(...allow)
    if (code !== 0) throw new Error(errors)
  }
  const wallet = (await generateKeyPairSigner()).address
  const opened = await operator(
    ...['account', 'create', '--name', 'Chaos', '--mode', 'live', '--sweep-destination', wallet],
  )
  if (opened.code !== 0) throw new Error(opened.errors)
  const { account, api_key: apiKey } = JSON.parse(opened.printed)
  return { accountId: account.id, apiKey, wallet }
}
