// Prepares the embedded chain for the demo: two tokens, a buyer with money, a funded fee payer.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Address,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  fetchEncodedAccount,
  generateKeyPair,
  type KeyPairSigner,
  writeKeyPair,
} from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { z } from 'zod'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { decodeTokenAccount, TOKEN_2022_PROGRAM_ADDRESS } from '#adapters/solana/rpc/token-data.ts'
import { fundSol, fundToken } from './faucet.ts'
import { createMint, regulatedDollar } from './mints.ts'

export type DemoMint = {
  readonly mint: Address
  readonly decimals: number
  readonly tokenProgram: Address
  readonly name: string
  readonly ticker: string
}

export type DemoMints = {
  /** A classic SPL token, meant as a US dollar. */
  readonly usd: DemoMint
  /** A Token-2022 token with the extensions of PYUSD. */
  readonly token2022: DemoMint
}

export type DemoChainOptions = {
  readonly rpcUrl: string
  /** The keys of mints, mint authority and buyer are kept in `demo-keys/` in there, readable by the owner only. */
  readonly dataDir: string
  /** Each is topped up to 1,000 SOL when it has less than half of that. */
  readonly feePayers: readonly Address[]
  readonly onProgress?: (line: string) => void
}

export type DemoChain = {
  readonly mints: DemoMints
  readonly buyer: KeyPairSigner
  readonly mintAuthority: KeyPairSigner
}

const SOL = 1_000_000_000n
const FEE_PAYER_LAMPORTS = 1000n * SOL
const AUTHORITY_LAMPORTS = 10n * SOL
const BUYER_LAMPORTS = 100n * SOL
const BUYER_TOKENS = 100_000n

const KEYS_DIR = 'demo-keys'
const keyBytes = z.array(z.number().int().min(0).max(255)).length(64)

/** Makes what is missing and tops up balances; it can be repeated. */
export async function prepareDemoChain(options: DemoChainOptions): Promise<DemoChain> {
  const { rpcUrl, dataDir, feePayers, onProgress = () => {} } = options
  const reportFunding = once(() => onProgress('funding the fee payer and a demo wallet'))
  const reportMinting = once(() => onProgress('making two demo tokens: one classic, one Token-2022'))
  const [authority, buyer, usdMint, token2022Mint] = await Promise.all([
    demoKey(dataDir, 'mint-authority'),
    demoKey(dataDir, 'buyer'),
    demoKey(dataDir, 'usd-mint'),
    demoKey(dataDir, 'token-2022-mint'),
  ])
  await Promise.all([
    ...feePayers.map((feePayer) => topUpSol(rpcUrl, feePayer, FEE_PAYER_LAMPORTS, reportFunding)),
    topUpSol(rpcUrl, authority.address, AUTHORITY_LAMPORTS, reportFunding),
    topUpSol(rpcUrl, buyer.address, BUYER_LAMPORTS, reportFunding),
  ])
  const usd = {
    mint: usdMint.address,
    decimals: 6,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
    name: 'Demo Dollar',
    ticker: 'USDD',
  }
  const token2022 = {
    mint: token2022Mint.address,
    decimals: 6,
    tokenProgram: TOKEN_2022_PROGRAM_ADDRESS,
    name: 'Demo Token',
    ticker: 'DEMO',
  }
  await Promise.all([
    ensureMint(rpcUrl, usdMint, reportMinting, () => createMint(rpcUrl, { ...usd, mint: usdMint, authority })),
    ensureMint(rpcUrl, token2022Mint, reportMinting, () =>
      createMint(rpcUrl, {
        ...token2022,
        mint: token2022Mint,
        authority,
        extensions: regulatedDollar(authority.address, token2022Mint.address),
        metadata: { name: token2022.name, symbol: token2022.ticker, uri: '' },
      }),
    ),
  ])
  const funding = { authority, owner: buyer, onFunding: reportFunding }
  await Promise.all([usd, token2022].map((mint) => topUpToken(rpcUrl, mint, funding)))
  return { mints: { usd, token2022 }, buyer, mintAuthority: authority }
}

/** Returns the buyer that `prepareDemoChain` funded. Rejects when it has not run in this data directory. */
export const loadDemoWallet = (dataDir: string): Promise<KeyPairSigner> => existingKey(dataDir, 'buyer')

/** Returns the key that may mint the demo tokens. Rejects when `prepareDemoChain` has not run in this data directory. */
export const loadMintAuthority = (dataDir: string): Promise<KeyPairSigner> => existingKey(dataDir, 'mint-authority')

type KeyName = 'mint-authority' | 'buyer' | 'usd-mint' | 'token-2022-mint'

const keyFile = (dataDir: string, name: KeyName): string => join(dataDir, KEYS_DIR, `${name}.json`)

/** In the format of Solana's own tools: 64 numbers. */
const loadKey = async (file: string): Promise<KeyPairSigner> =>
  createKeyPairSignerFromBytes(Uint8Array.from(keyBytes.parse(JSON.parse(await readFile(file, 'utf8')))))

async function existingKey(dataDir: string, name: KeyName): Promise<KeyPairSigner> {
  const file = keyFile(dataDir, name)
  if (!existsSync(file)) throw new Error(`there is no demo chain in ${dataDir}: start the service once with it`)
  return loadKey(file)
}

async function demoKey(dataDir: string, name: KeyName): Promise<KeyPairSigner> {
  const file = keyFile(dataDir, name)
  if (!existsSync(file)) await writeKeyPair(await generateKeyPair(true), file)
  return loadKey(file)
}

/** Reports the work once, when several steps find that there is something to do. */
function once(report: () => void): () => void {
  let reported = false
  return () => {
    if (!reported) report()
    reported = true
  }
}

async function topUpSol(rpcUrl: string, wallet: Address, full: bigint, onFunding: () => void): Promise<void> {
  const { value: balance } = await createSolanaRpc(rpcUrl).getBalance(wallet, { commitment: 'finalized' }).send()
  if (balance >= full / 2n) return
  onFunding()
  await fundSol(rpcUrl, wallet, full - balance)
}

async function ensureMint(
  rpcUrl: string,
  mint: KeyPairSigner,
  onMaking: () => void,
  make: () => Promise<unknown>,
): Promise<void> {
  const account = await fetchEncodedAccount(createSolanaRpc(rpcUrl), mint.address)
  if (account.exists) return
  onMaking()
  await make()
}

async function topUpToken(
  rpcUrl: string,
  { mint, decimals, tokenProgram }: DemoMint,
  to: { authority: KeyPairSigner; owner: KeyPairSigner; onFunding: () => void },
): Promise<void> {
  const full = BUYER_TOKENS * 10n ** BigInt(decimals)
  const owner = to.owner.address
  const account = await fetchEncodedAccount(createSolanaRpc(rpcUrl), associatedTokenAddress(owner, mint, tokenProgram))
  const owned = account.exists ? decodeTokenAccount(tokenProgram, Uint8Array.from(account.data))?.amount : undefined
  const amount = full - (owned ?? 0n)
  if (amount <= full / 2n) return
  to.onFunding()
  await fundToken(rpcUrl, { authority: to.authority, owner, mint, amount })
}
