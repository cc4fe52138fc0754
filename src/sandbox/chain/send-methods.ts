// Sending: sendTransaction as a node takes it, and airdrops as real transactions of the chain's faucet.
import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  type CompiledTransactionMessage,
  createTransactionMessage,
  getBase58Decoder,
  getBase58Encoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { getSetComputeUnitLimitInstruction } from '@solana-program/compute-budget'
import { getTransferSolInstruction } from '@solana-program/system'
import { z } from 'zod'
import type { Blockhashes } from './blockhashes.ts'
import type { ChainClock } from './chain-clock.ts'
import type { Sent } from './effects.ts'
import { addressParam, configured, RPC_CODES, RpcFailure, type RpcMethods, readParams } from './json-rpc.ts'
import type { LedgerStore } from './ledger-store.ts'
import type { Upstream } from './upstream.ts'
import type { WriteQueue } from './write-queue.ts'

/** A write, and the answer to its caller. */
export type Answered = Sent & { readonly answer: string | RpcFailure }

export type SendDependencies = {
  readonly upstream: Pick<Upstream, 'call'>
  readonly queue: Pick<WriteQueue<Answered>, 'submit'>
  readonly ledger: Pick<LedgerStore, 'status'>
  readonly blockhashes: Pick<Blockhashes, 'isValid' | 'latest'>
  readonly chainClock: Pick<ChainClock, 'at'>
  readonly faucet: KeyPairSigner
}

const sendConfig = z
  .object({ encoding: z.enum(['base58', 'base64']).default('base58'), skipPreflight: z.boolean().default(false) })
  .loose()
const sendParams = z.tuple([z.string(), configured(sendConfig)])
const u64 = z.union([z.number().int().positive().transform(BigInt), z.bigint().positive()])
const airdropParams = z.tuple([addressParam, u64]).rest(z.unknown())

/** Enough for a transfer; a different limit each time makes two equal airdrops two transactions. */
const AIRDROP_UNITS = 1000
const AIRDROP_VARIANTS = 100_000

export function createSendMethods(dependencies: SendDependencies): RpcMethods {
  const { blockhashes, faucet } = dependencies
  const send = createSender(dependencies)
  let airdrops = 0
  return {
    async sendTransaction(params) {
      const [text, options] = readParams(sendParams, params)
      const encoder = options.encoding === 'base64' ? getBase64Encoder() : getBase58Encoder()
      return send(() => encoder.encode(text), options)
    },
    async requestAirdrop(params) {
      const [destination, lamports] = readParams(airdropParams, params)
      airdrops += 1
      const units = AIRDROP_UNITS + (airdrops % AIRDROP_VARIANTS)
      const wire = await airdropOf(faucet, address(destination), lamports, units, blockhashes.latest())
      return send(() => wire, { skipPreflight: false })
    },
  }
}

type Wire = { readonly bytes: Uint8Array; readonly signature: string; readonly message: CompiledTransactionMessage }
type SendOptions = { readonly skipPreflight: boolean } & Readonly<Record<string, unknown>>

function createSender({ upstream, queue, ledger, blockhashes, chainClock }: SendDependencies) {
  /** The same bytes sent twice at once are executed once and answered twice. */
  const sending = new Map<string, Promise<Answered>>()

  const execute = async ({ bytes, signature }: Wire, options: SendOptions): Promise<Answered> => {
    const wire = Buffer.from(bytes)
    const answer = await answerOf(
      upstream.call('sendTransaction', [wire.toString('base64'), { ...options, encoding: 'base64' }]),
    )
    return { answer, transaction: { signature, wire, refused: answer instanceof RpcFailure } }
  }

  const neverLandsReason = ({ signature, message }: Wire, height: number): NeverLands | null => {
    if (ledger.status(signature) !== null) return ALREADY_PROCESSED
    return blockhashes.isValid(lifetimeOf(message), height) ? null : BLOCKHASH_NOT_FOUND
  }

  return async (encode: () => ArrayLike<number>, options: SendOptions): Promise<string> => {
    const wire = readWire(encode)
    const { signature } = wire
    const { height } = await chainClock.at('processed')
    const reason = neverLandsReason(wire, height)
    // Without preflight a node also passes on a transaction that can never land, silently.
    if (reason !== null && options.skipPreflight) return JSON.stringify(signature)
    if (reason !== null) throw preflightFailure(reason)

    const sent =
      sending.get(signature) ??
      queue.submit({ execute: () => execute(wire, options) }).finally(() => sending.delete(signature))
    sending.set(signature, sent)
    return answered(await sent)
  }
}

export function answered({ answer }: Answered): string {
  if (answer instanceof RpcFailure) throw answer
  return answer
}

/** Returns a refusal as a value; an Error of another kind, which means that the runtime is gone, stays one. */
export async function answerOf(call: Promise<string>): Promise<string | RpcFailure> {
  try {
    return await call
  } catch (error) {
    if (error instanceof RpcFailure) return error
    throw error
  }
}

function readWire(encode: () => ArrayLike<number>): Wire {
  try {
    const bytes = Uint8Array.from(encode())
    const { messageBytes, signatures } = getTransactionDecoder().decode(bytes)
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
    const [first] = Object.values(signatures)
    if (first == null) throw new RpcFailure(RPC_CODES.signatureInvalid, 'Transaction signature verification failure')
    return { bytes, message, signature: getBase58Decoder().decode(first) }
  } catch (error) {
    if (error instanceof RpcFailure) throw error
    throw new RpcFailure(RPC_CODES.invalidParams, 'failed to deserialize the transaction')
  }
}

const lifetimeOf = (message: CompiledTransactionMessage): string =>
  'lifetimeToken' in message && typeof message.lifetimeToken === 'string' ? message.lifetimeToken : ''

type NeverLands = { readonly err: string; readonly text: string }
const ALREADY_PROCESSED = { err: 'AlreadyProcessed', text: 'This transaction has already been processed' }
const BLOCKHASH_NOT_FOUND = { err: 'BlockhashNotFound', text: 'Blockhash not found' }

const preflightFailure = ({ err, text }: NeverLands): RpcFailure =>
  new RpcFailure(RPC_CODES.preflightFailed, `Transaction simulation failed: ${text}`, {
    accounts: null,
    err,
    innerInstructions: null,
    logs: [],
    replacementBlockhash: null,
    returnData: null,
    unitsConsumed: 0,
  })

async function airdropOf(
  faucet: KeyPairSigner,
  destination: Address,
  lamports: bigint,
  units: number,
  latest: { readonly hash: string; readonly lastValidBlockHeight: number },
): Promise<Uint8Array> {
  const lifetime = { blockhash: blockhash(latest.hash), lastValidBlockHeight: BigInt(latest.lastValidBlockHeight) }
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(faucet, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (living) =>
      appendTransactionMessageInstructions(
        [
          getSetComputeUnitLimitInstruction({ units }),
          getTransferSolInstruction({ source: faucet, destination, amount: lamports }),
        ],
        living,
      ),
  )
  return Uint8Array.from(getTransactionEncoder().encode(await signTransactionMessageWithSigners(message)))
}
