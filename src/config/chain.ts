// Settings of the chains: the providers of each network, and how deposits are found.
import { z } from 'zod'
import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import { choiceSetting, hasProtocol, integerSetting, secretSetting, type Values } from './setting.ts'

/** Declares the addresses of providers. They often contain a key, so they are never shown. */
const providersSetting = (protocol: RegExp, example: string) =>
  secretSetting(
    z
      .string()
      .transform((text) => text.split(',').map((part) => part.trim()))
      .pipe(z.array(z.string().refine(hasProtocol(protocol))).refine(areDifferent)),
    `an address like ${example}, or several different ones of one network separated by commas`,
  )

/** Returns whether each address is another provider: one that is named twice would agree with itself. */
const areDifferent = (urls: readonly string[]): boolean =>
  new Set(urls.map((url) => URL.parse(url)?.href)).size === urls.length

const HTTP = /^https?:$/
const WS = /^wss?:$/

export const CHAIN_SETTINGS = {
  SOLANA_RPC_URL: providersSetting(HTTP, 'https://rpc.example.com'),
  SOLANA_WS_URL: providersSetting(WS, 'wss://rpc.example.com'),
  SOLANA_TEST_RPC_URL: providersSetting(HTTP, 'https://devnet.example.com'),
  SOLANA_TEST_WS_URL: providersSetting(WS, 'wss://devnet.example.com'),
  CHAIN_SLOT_MS: integerSetting(10, 10_000),
  STREAM_URL: secretSetting(
    z.string().refine((text) => hasProtocol(HTTP)(text) && URL.parse(text)?.pathname === '/'),
    'the address of a Yellowstone gRPC provider without a path, like https://grpc.example.com:443',
  ),
  STREAM_TOKEN: secretSetting(z.string().max(1_000), 'the token of the provider of STREAM_URL'),
  BLOCK_CREDITS: integerSetting(1, 1_000),
  DEPOSIT_SOURCE: choiceSetting(['auto', 'polling', 'blocks']),
}
type ChainSettings = Values<typeof CHAIN_SETTINGS>

export type ChainConfig =
  | { readonly kind: 'embedded'; readonly slotMs: number }
  /** The addresses may contain a provider's key: never show them. */
  | {
      readonly kind: 'remote'
      readonly rpcUrls: readonly string[]
      readonly wsUrls: readonly string[]
      readonly stream: StreamConfig | null
    }

/** Both may be secret, as the address of a provider. */
export type StreamConfig = { readonly url: string; readonly token: string | null }

/** `test` is null where test accounts are refused. Both embedded means one and the same chain. */
export type ChainsConfig = { readonly live: ChainConfig; readonly test: ChainConfig | null }

/** Returns whether live accounts use the embedded chain. */
export const isEmbedded = ({ SOLANA_RPC_URL }: ChainSettings): boolean => SOLANA_RPC_URL === undefined

export function chainsOf(settings: ChainSettings): ChainsConfig {
  const embedded: ChainConfig = { kind: 'embedded', slotMs: settings.CHAIN_SLOT_MS ?? 200 }
  const live = remoteChain(settings.SOLANA_RPC_URL, settings.SOLANA_WS_URL, streamOf(settings))
  const test = remoteChain(settings.SOLANA_TEST_RPC_URL, settings.SOLANA_TEST_WS_URL, null)
  return { live: live ?? embedded, test: test ?? (live === null ? embedded : null) }
}

function remoteChain(
  rpcUrls: readonly string[] | undefined,
  wsUrls: readonly string[] | undefined,
  stream: StreamConfig | null,
) {
  if (rpcUrls === undefined) return null
  return { kind: 'remote', rpcUrls, wsUrls: wsUrls ?? rpcUrls.map(websocketOf), stream } as const
}

const streamOf = ({ STREAM_URL: url, STREAM_TOKEN: token }: ChainSettings): StreamConfig | null =>
  url === undefined ? null : { url, token: token ?? null }

/** Returns the websocket address of a node. Solana's convention: the RPC address, with the next port if it has one. */
function websocketOf(rpcUrl: string): string {
  const url = new URL(rpcUrl.replace(/^http/i, 'ws'))
  if (url.port !== '') url.port = String(Number(url.port) + 1)
  return url.href
}

/** Returns how deposits are found, or null when the service chooses the source by its cost. */
export const depositSourceOf = ({ DEPOSIT_SOURCE: chosen }: ChainSettings): DepositSourceKind | null =>
  chosen === undefined || chosen === 'auto' ? null : chosen
