// An embedded chain for one test file, ten times faster than a real chain: a transaction is final within a tenth of a
// second.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import {
  type Address,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  generateKeyPairSigner,
  type Instruction,
  type KeyPairSigner,
  type Signature,
} from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import {
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { type EmbeddedChain, startEmbeddedChain } from '#sandbox/chain/embedded-chain.ts'
import { fundSol, fundToken } from '#sandbox/chain/faucet.ts'
import { addressBytes, createMint, extension, type MintExtension, number } from '#sandbox/chain/mints.ts'
import { sendTransaction } from '#sandbox/chain/send-transaction.ts'
import { SURFNET_PACKAGE } from '#sandbox/chain/surfnet.ts'
import { until } from './until.ts'

// Further Token-2022 extensions for test mints.

export * from '#sandbox/chain/mints.ts'

const float = (value: number): Uint8Array => {
  const buffer = Buffer.alloc(8)
  buffer.writeDoubleLE(value)
  return buffer
}

/** New token accounts are frozen. */
export const defaultFrozen = (): MintExtension => extension(1, 28, 0, 2)
export const nonTransferable = (): MintExtension => extension(0, 32)
export const interestBearing = (authority: Address, basisPoints: number): MintExtension =>
  extension(52, 33, 0, addressBytes(authority), number(2, BigInt(basisPoints)))
export const scaledUiAmount = (authority: Address, multiplier: number): MintExtension =>
  extension(56, 43, 0, addressBytes(authority), float(multiplier))
export const pausable = (authority: Address): MintExtension => extension(33, 44, 0, addressBytes(authority))

export const SOL = 1_000_000_000n
export const TEST_SLOT_MS = 20

export type TestMint = {
  readonly mint: Address
  readonly decimals: number
  readonly tokenProgram: Address
  /** The authority that mints, freezes and closes, and pays for it. */
  readonly authority: KeyPairSigner
}

export type ChainTools = ReturnType<typeof chainTools>
export type TestChain = ChainTools & {
  readonly dataDir: string
  /** Stops the chain and removes its data. */
  stop(): Promise<void>
}

/** Starts a chain in `beforeAll`. Pass the chain to `stopTestChain` in `afterAll`. */
export async function startTestChain(options: { slotTimeMs?: number; dataDir?: string } = {}): Promise<TestChain> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'test-chain-')))
  const chain = await startEmbeddedChain({ dataDir, slotTimeMs: options.slotTimeMs ?? TEST_SLOT_MS })
  const stop = async (): Promise<void> => {
    await chain.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  return { ...chainTools(chain), dataDir, stop }
}

export const stopTestChain = async (chain: TestChain | undefined): Promise<void> => chain?.stop()

/** Actions of tests on a running chain. */
export function chainTools(chain: EmbeddedChain) {
  const { rpcUrl, wsUrl, genesisHash } = chain
  const rpc = createSolanaRpc(rpcUrl)
  const send = (feePayer: KeyPairSigner, instructions: readonly Instruction[]): Promise<Signature> =>
    sendTransaction(rpcUrl, feePayer, instructions)
  return {
    chain,
    rpcUrl,
    wsUrl,
    genesisHash,
    rpc,
    rpcSubscriptions: createSolanaRpcSubscriptions(wsUrl),
    /** Signs and sends a transaction, and waits until it is final. */
    send,

    fund: (to: Address, lamports: bigint): Promise<Signature> => fundSol(rpcUrl, to, lamports),

    /** Returns a new wallet with SOL. */
    async wallet(lamports = 10n * SOL): Promise<KeyPairSigner> {
      const wallet = await generateKeyPairSigner()
      await fundSol(rpcUrl, wallet.address, lamports)
      return wallet
    },

    /** Creates a mint; `extensions` receives the addresses of authority and mint. */
    async createMint(
      options: {
        decimals?: number
        tokenProgram?: Address
        extensions?: (authority: Address, mint: Address) => readonly MintExtension[]
      } = {},
    ): Promise<TestMint> {
      const { decimals = 6, tokenProgram = TOKEN_PROGRAM_ADDRESS, extensions = () => [] } = options
      const [authority, mint] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()])
      await fundSol(rpcUrl, authority.address, 10n * SOL)
      await createMint(rpcUrl, {
        mint,
        authority,
        decimals,
        tokenProgram,
        extensions: extensions(authority.address, mint.address),
      })
      return { mint: mint.address, decimals, tokenProgram, authority }
    },

    /** Mints new tokens to a wallet; resolves to its token account. */
    async fundToken({ mint, tokenProgram, authority }: TestMint, owner: Address, amount: bigint): Promise<Address> {
      await fundToken(rpcUrl, { authority, owner, mint, amount })
      return associatedTokenAddress(owner, mint, tokenProgram)
    },

    paySol: (from: KeyPairSigner, to: Address, lamports: bigint): Promise<Signature> =>
      send(from, [getTransferSolInstruction({ source: from, destination: to, amount: lamports })]),

    /**
     * Transfers from the payer's associated token account to the receiver's. The payer creates the receiver's account
     * if it does not exist.
     */
    async payToken(
      from: KeyPairSigner,
      to: Address,
      { mint, tokenProgram, decimals }: Pick<TestMint, 'mint' | 'tokenProgram' | 'decimals'>,
      amount: bigint,
    ): Promise<Signature> {
      const source = associatedTokenAddress(from.address, mint, tokenProgram)
      const destination = associatedTokenAddress(to, mint, tokenProgram)
      return send(from, [
        await getCreateAssociatedTokenIdempotentInstructionAsync({ payer: from, owner: to, mint, tokenProgram }),
        getTransferCheckedInstruction(
          { source, mint, destination, authority: from, amount, decimals },
          { programAddress: tokenProgram },
        ),
      ])
    },

    solOf: async (wallet: Address): Promise<bigint> => (await rpc.getBalance(wallet).send()).value,

    /** Returns base units; 0 when the wallet has no associated token account for the mint. */
    async tokensOf(owner: Address, { mint, tokenProgram }: Pick<TestMint, 'mint' | 'tokenProgram'>): Promise<bigint> {
      const account = associatedTokenAddress(owner, mint, tokenProgram)
      const { value } = await rpc.getAccountInfo(account, { encoding: 'base64' }).send()
      if (value === null) return 0n
      return Buffer.from(value.data[0], 'base64').readBigUInt64LE(64)
    },

    /** Resolves when the transaction is finalized. */
    async finalized(signature: Signature): Promise<void> {
      await until(async () => {
        const [status] = (await rpc.getSignatureStatuses([signature]).send()).value
        return status?.confirmationStatus === 'finalized'
      }, 20_000)
    },
  }
}

// A Surfpool as a developer runs it, without the front of the embedded chain. It runs in a thread, because its start
// blocks.

export type BareSurfpool = { readonly rpcUrl: string; readonly wsUrl: string; stop(): Promise<void> }

const PROGRAM = `
const { createRequire } = require('node:module')
const { parentPort, workerData } = require('node:worker_threads')
const { Surfnet } = createRequire(workerData.from)(workerData.name)
const { slotTimeMs } = workerData
const surfnet = Surfnet.startWithConfig({ offline: true, blockProductionMode: 'clock', slotTimeMs })
setInterval(() => surfnet.drainEvents(), 200)
parentPort.postMessage({ rpcUrl: surfnet.rpcUrl, wsUrl: surfnet.wsUrl })
`

export async function startBareSurfpool(slotTimeMs: number): Promise<BareSurfpool> {
  const workerData = { name: SURFNET_PACKAGE, from: import.meta.filename, slotTimeMs }
  const thread = new Worker(PROGRAM, { eval: true, workerData })
  const urls = await new Promise<{ rpcUrl: string; wsUrl: string }>((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', reject)
  })
  return {
    ...urls,
    async stop() {
      await thread.terminate()
    },
  }
}
