// How often one caller may ask: counted in this process, by credential, or by address where there is none.
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { countedAs } from '#core/network/ip-address.ts'

export type RateLimitSettings = {
  readonly liveKeyPerSecond: number
  readonly testKeyPerSecond: number
  readonly clientSecretPerSecond: number
  /** Calls with the token of a hosted page of recurring billing. */
  readonly checkoutTokenPerMinute: number
  readonly publicAddressPerMinute: number
  /** Texts for the recovery of links, which an address asks for without a credential. */
  readonly recoveryTextsPerMinuteOfAddress: number
  /** Recoveries of links that a wallet has proved. */
  readonly recoveriesPerMinuteOfWallet: number
  /** New sellers of a marketplace. Spec: "Limits". */
  readonly sellersPerTenSeconds: number
  /** Images that a marketplace uploads. */
  readonly imagesPerMinute: number
  /** Points of GraphQL documents that the service has not seen before: a point for each started KB. */
  readonly newDocumentsPerSecondOfLiveKey: number
  readonly newDocumentsPerSecondOfTestKey: number
  readonly newDocumentsPerMinuteOfAddress: number
}

export const DEFAULT_RATE_LIMITS: RateLimitSettings = {
  liveKeyPerSecond: 100,
  testKeyPerSecond: 25,
  clientSecretPerSecond: 10,
  checkoutTokenPerMinute: 30,
  publicAddressPerMinute: 60,
  recoveryTextsPerMinuteOfAddress: 60,
  recoveriesPerMinuteOfWallet: 30,
  sellersPerTenSeconds: 300,
  imagesPerMinute: 60,
  newDocumentsPerSecondOfLiveKey: 10,
  newDocumentsPerSecondOfTestKey: 5,
  newDocumentsPerMinuteOfAddress: 60,
}

/** What an operation was paid with, and so what owes the points of its reply. */
export type Debtor =
  | { readonly kind: 'key'; readonly keyId: string; readonly network: Network }
  | { readonly kind: 'clientSecret'; readonly secret: string }
  | { readonly kind: 'checkoutToken'; readonly token: string }
  | { readonly kind: 'wallet'; readonly wallet: string }

/** A tally of a caller, as the headers `RateLimit-Policy` and `RateLimit` show it. */
export type Tally = {
  /** The name of the limit. */
  readonly limit: string
  readonly quota: number
  readonly windowSeconds: number
  readonly remaining: number
  /** Seconds until the window ends. */
  readonly resetSeconds: number
}

/** Receives a tally after it has changed, or has refused a call. */
export type OnCounted = (tally: Tally) => void

/**
 * Each counts a call, passes the tally on, and throws `rate_limited` with `retry_after_seconds` when there were too many.
 */
export type Limits = {
  /** Counts one point, or what the call costs. */
  key(keyId: string, network: Network, points: number, onCounted?: OnCounted): Promise<void>
  /** Throws like `key` when the tally is full, and else counts nothing. */
  requireRoom(keyId: string, network: Network, onCounted?: OnCounted): Promise<void>
  clientSecret(secret: string, onCounted?: OnCounted): Promise<void>
  checkoutToken(token: string, onCounted?: OnCounted): Promise<void>
  /** Adds points to the tally of a key, or of a credential that was found. Refuses nothing: the next calls wait. */
  owe(debtor: Debtor, points: number, onCounted?: OnCounted): Promise<void>
  address(address: string, points: number, onCounted?: OnCounted): Promise<void>
  /** Throws like `address` when the tally is full, and else counts nothing. */
  requireRoomOfAddress(address: string, onCounted?: OnCounted): Promise<void>
  /** Counts a text for the recovery of links. Other requests of the address do not use up this tally. */
  recoveryText(address: string, points: number, onCounted?: OnCounted): Promise<void>
  /** Throws when the tally of a wallet is full, and else counts nothing. Only `owe` adds to it, after a valid proof. */
  requireRoomOfWallet(wallet: string, onCounted?: OnCounted): Promise<void>
  /** Counts a new seller of a marketplace. Throws `seller_rate_limited` with `retry_after_secs` as well. */
  newSeller(accountId: string, onCounted?: OnCounted): Promise<void>
  /** Counts an image that a marketplace uploads. */
  newImage(accountId: string, onCounted?: OnCounted): Promise<void>
  /** Takes the points that reading a new document costs from the tally that a key, or an address, has for these. */
  documentOfKey(keyId: string, network: Network, points: number, onCounted?: OnCounted): Promise<void>
  documentOfAddress(address: string, points: number, onCounted?: OnCounted): Promise<void>
  /** Counts a credential from an address that proves nothing. No other tally refuses a caller for it. */
  wrongCredential(address: string): Promise<void>
}

const allow = () => Promise.resolve()
export const NO_LIMITS: Limits = {
  key: allow,
  requireRoom: allow,
  clientSecret: allow,
  checkoutToken: allow,
  owe: allow,
  address: allow,
  requireRoomOfAddress: allow,
  recoveryText: allow,
  requireRoomOfWallet: allow,
  newSeller: allow,
  newImage: allow,
  documentOfKey: allow,
  documentOfAddress: allow,
  wrongCredential: allow,
}

export function createLimits(settings: RateLimitSettings): Limits {
  /** The prefix of its tallies is the name under which callers see the limit. */
  const limiter = (keyPrefix: string, points: number, duration: number) =>
    new RateLimiterMemory({ keyPrefix, points, duration })
  const keys = {
    live: limiter('key', settings.liveKeyPerSecond, 1),
    test: limiter('key', settings.testKeyPerSecond, 1),
  }
  const secrets = limiter('client-secret', settings.clientSecretPerSecond, 1)
  const checkoutTokens = limiter('token', settings.checkoutTokenPerMinute, 60)
  const addresses = limiter('address', settings.publicAddressPerMinute, 60)
  const recoveryTexts = limiter('recovery-texts', settings.recoveryTextsPerMinuteOfAddress, 60)
  const wallets = limiter('recoveries', settings.recoveriesPerMinuteOfWallet, 60)
  const failures = limiter('failures', settings.publicAddressPerMinute, 60)
  const newSellers = limiter('new-sellers', settings.sellersPerTenSeconds, 10)
  const newImages = limiter('images', settings.imagesPerMinute, 60)
  const keyDocuments = {
    live: limiter('new-documents', settings.newDocumentsPerSecondOfLiveKey, 1),
    test: limiter('new-documents', settings.newDocumentsPerSecondOfTestKey, 1),
  }
  const addressDocuments = limiter('new-documents', settings.newDocumentsPerMinuteOfAddress, 60)
  const tallyOf = (debtor: Debtor): readonly [RateLimiterMemory, string] => {
    switch (debtor.kind) {
      case 'key':
        return [keys[debtor.network], debtor.keyId]
      case 'clientSecret':
        return [secrets, digest(debtor.secret)]
      case 'checkoutToken':
        return [checkoutTokens, digest(debtor.token)]
      case 'wallet':
        return [wallets, debtor.wallet]
    }
  }
  return {
    key: (keyId, network, points, onCounted) => charge(keys[network], keyId, points, onCounted),
    requireRoom: (keyId, network, onCounted) => requireRoom(keys[network], keyId, onCounted),
    clientSecret: (secret, onCounted) => count(secrets, digest(secret), onCounted),
    checkoutToken: (token, onCounted) => count(checkoutTokens, digest(token), onCounted),
    owe: async (debtor, points, onCounted) => {
      if (points >= 1) await add(...tallyOf(debtor), points, onCounted)
    },
    address: (address, points, onCounted) => charge(addresses, countedAs(address), points, onCounted),
    requireRoomOfAddress: (address, onCounted) => requireRoom(addresses, countedAs(address), onCounted),
    recoveryText: (address, points, onCounted) => charge(recoveryTexts, countedAs(address), points, onCounted),
    requireRoomOfWallet: (wallet, onCounted) => requireRoom(wallets, wallet, onCounted),
    newSeller: (accountId, onCounted) => countSeller(newSellers, accountId, onCounted),
    newImage: (accountId, onCounted) => count(newImages, accountId, onCounted),
    documentOfKey: (keyId, network, points, onCounted) => charge(keyDocuments[network], keyId, points, onCounted),
    documentOfAddress: (address, points, onCounted) => charge(addressDocuments, countedAs(address), points, onCounted),
    wrongCredential: (address) => count(failures, countedAs(address)),
  }
}

/** Kept instead of the secret, because a secret that is not in memory cannot leave it. */
export const digest = (secret: string): string => hash('sha256', secret, 'base64')

async function count(limiter: RateLimiterMemory, caller: string, onCounted?: OnCounted): Promise<void> {
  try {
    const counted = await limiter.consume(caller)
    onCounted?.(tallyIn(limiter, counted))
  } catch (reason) {
    if (!(reason instanceof RateLimiterRes)) throw reason
    onCounted?.(tallyIn(limiter, reason))
    throw refusal(limiter, reason)
  }
}

/** Adds points to a tally, and refuses nothing. */
async function add(limiter: RateLimiterMemory, caller: string, points: number, onCounted?: OnCounted): Promise<void> {
  const added = await limiter.penalty(caller, points)
  onCounted?.(tallyIn(limiter, added))
}

const tallyIn = (limiter: RateLimiterMemory, { consumedPoints, msBeforeNext }: RateLimiterRes): Tally => ({
  limit: limiter.keyPrefix,
  quota: limiter.points,
  windowSeconds: limiter.duration,
  remaining: Math.max(0, limiter.points - consumedPoints),
  resetSeconds: secondsOf(msBeforeNext),
})

/** Whole seconds, at least one: after them the tally has room again. */
const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000))

/** Puts the wait into the body too when a marketplace creates sellers too fast. Spec: "Limits". */
async function countSeller(limiter: RateLimiterMemory, accountId: string, onCounted?: OnCounted): Promise<void> {
  try {
    await count(limiter, accountId, onCounted)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const { retry_after_seconds = 1 } = error.context
    const Refusal = error instanceof FloodRefused ? FloodRefused : ServiceError
    throw new Refusal('seller_rate_limited', { retry_after_seconds, retry_after_secs: retry_after_seconds })
  }
}

/** A caller that asks so many times its limit is in no hurry to be refused once more. */
const FLOOD = { timesLimit: 2, pauseMs: 250 } as const

/** The refusal of a caller that asks much more often than its limit. It leaves after a pause: see `pauseFlood`. */
class FloodRefused extends ServiceError {}

/** Returns what to throw. */
function refusal(limiter: RateLimiterMemory, { consumedPoints, msBeforeNext }: RateLimiterRes): ServiceError {
  const Refusal = consumedPoints > FLOOD.timesLimit * limiter.points ? FloodRefused : ServiceError
  return new Refusal('rate_limited', { retry_after_seconds: secondsOf(msBeforeNext) })
}

/**
 * Waits before the refusals of a flood leave, for each of them, so that refusing them takes little from others. The limits do
 * not wait themselves, because a resolver can run in the turn of a heavy read, and then other callers would wait too.
 * `causes` are what was thrown, and not the errors of GraphQL that have it as their cause.
 */
export async function pauseFlood(causes: readonly unknown[]): Promise<void> {
  const floods = causes.filter((cause) => cause instanceof FloodRefused).length
  if (floods > 0) await sleep(floods * FLOOD.pauseMs)
}

/** Makes a check that comes before any turn wait itself, as `pauseFlood` does. */
export const pausing =
  <Given extends readonly unknown[], Result>(check: (...given: Given) => Promise<Result>) =>
  async (...given: Given): Promise<Result> => {
    try {
      return await check(...given)
    } catch (error) {
      await pauseFlood([error])
      throw error
    }
  }

/** Takes several points at once. One point must be left, the others may exceed the limit: no price is too high for it. */
async function charge(
  limiter: RateLimiterMemory,
  caller: string,
  points: number,
  onCounted?: OnCounted,
): Promise<void> {
  await count(limiter, caller, onCounted)
  if (points > 1) await add(limiter, caller, points - 1, onCounted)
}

async function requireRoom(limiter: RateLimiterMemory, caller: string, onCounted?: OnCounted): Promise<void> {
  const tally = await limiter.get(caller)
  if (tally !== null && tally.consumedPoints >= limiter.points) await count(limiter, caller, onCounted)
}

// What an operation owes to the tally of its caller, beyond the one point that each of its calls counts.

export type Bill = {
  /** Returns the points that are due, once: the first call that counts pays for the whole operation. */
  take(): number
}

export function createBill(points: number): Bill {
  let due = points - 1
  return {
    take() {
      const taken = due
      due = 0
      return taken
    },
  }
}
