// Detection as the service builds it, over a provider that only counts, on a clock of the bench's own.
import { createHash } from 'node:crypto'
import { getAddressDecoder } from '@solana/kit'
import { createChain } from '#adapters/solana/chain.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { makeAddress } from '#core/chain/base58.ts'
import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import { type Asset, type ObservedTransaction, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import type { Token } from '#core/tokens/token.ts'
import type { DepositSourceStore } from '#ports/deposit-sources.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import { BlockScan } from '#services/detection/blocks/block-scan.ts'
import { LateAddresses } from '#services/detection/blocks/late-addresses.ts'
import { Detection } from '#services/detection/detection.ts'
import { Watcher } from '#services/detection/polling/watcher.ts'
import { SetAsidePayments } from '#services/detection/set-aside-payments.ts'
import { createExpirer, type ExpireIntents } from '#services/payments/expire.ts'
import { context } from '../../test/support/payment.ts'

export const MINT = makeAddress('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
const TOKEN_PROGRAM = makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')

const token: Token = {
  network: 'live',
  asset: MINT,
  mint: MINT,
  isNative: false,
  name: 'USD Coin',
  ticker: 'USDC',
  decimals: 6,
  tokenProgram: TOKEN_PROGRAM,
  extensions: [],
  feedKey: 'USDC',
  imageName: null,
  enabled: true,
}
const sol: Token = { ...token, asset: SOL, mint: makeAddress(WRAPPED_SOL_MINT), isNative: true, tokenProgram: null }

export type DetectionUnderTest = {
  readonly detection: Detection
  readonly expire: ExpireIntents
  /** A push: the chain is final up to this slot. */
  final(slot: bigint): void
  close(): Promise<void>
}

export function openDetection(options: {
  readonly rpcUrl: string
  readonly now: () => Date
  readonly sources: DepositSourceStore
  readonly intents: Pick<IntentWorkStore, 'watchList' | 'watched' | 'expired'>
  readonly fixed: DepositSourceKind
  readonly takeIn: (intentId: string, transactions: readonly ObservedTransaction[]) => Promise<void>
}): DetectionUnderTest {
  const { intents, sources, fixed } = options
  const clock = { now: options.now }
  const tokens = new Map<Asset, Token>([
    [SOL, sol],
    [MINT, token],
  ])
  const directory = { tokens: async () => tokens }
  // Deriving them honestly is another bench's figure, and reading blocks needs none of them.
  const keys = {
    tokenAccountOf: async (owner: string, mint: string) =>
      getAddressDecoder().decode(createHash('sha256').update(`${owner}${mint}`).digest()),
  }
  const depositKeys = createDepositKeys(new Uint8Array(64))
  const chain = createChain({ network: 'live', rpcUrls: [options.rpcUrl], depositKeys, clock })
  const onError = (error: unknown): never => {
    throw error
  }
  const watcher = new Watcher({
    network: 'live',
    chain,
    store: intents,
    directory,
    keys,
    notices: null,
    observe: async () => ({ explained: true, unfinished: false, leaving: new Set() }),
    clock,
    callsPerMinute: Number.POSITIVE_INFINITY,
    onNotice: () => {},
    onError,
  })
  const source = chain.openBlocks()
  const common = { network: 'live', source, store: sources, clock, wallClock: clock } as const
  const readToSlot = () => scan.head?.slot ?? 0n
  const setAside = new SetAsidePayments({ ...common, watcher, readToSlot })
  const lateAddresses = new LateAddresses({
    ...common,
    intents,
    watcher,
    setAside,
    readTo: () => scan.readTo,
    readToSlot,
  })
  const scan = new BlockScan({ ...common, chain, takeIn: options.takeIn, setAside, lateAddresses, onError })
  let listener: ((slot: bigint) => void) | null = null
  const detection = new Detection({
    blockCredits: 1,
    otherAccounts: { note: () => {}, check: async () => {} },
    ...common,
    watcher,
    scan,
    lateAddresses,
    setAside,
    fixed,
    slotTime: chain,
    notices: null,
    finality: {
      followFinality(next) {
        listener = next
      },
    },
    onFinality: () => {},
  })
  const expire = createExpirer({
    chainOf: () => chain,
    store: { ...intents, facts: async () => null, apply: async () => true },
    directory,
    keys,
    decisionContext: async () => context(),
    clock,
    searched: () => detection.searched,
    onError,
  })
  return {
    detection,
    expire,
    final: (slot) => listener?.(slot),
    close: () => source.close(),
  }
}
