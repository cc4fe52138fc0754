// Checkouts of subscriptions over a real chain and database: wallets that sign what was prepared, and rounds of work.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Address, createSolanaRpc, getBase64Decoder, type KeyPairSigner, signBytes } from '@solana/kit'
import { getFreezeAccountInstruction } from '@solana-program/token'
import { random } from '#adapters/node/random.ts'
import { createApprovalStore } from '#adapters/prisma/billing/approval-store.ts'
import { createChallengeStore } from '#adapters/prisma/billing/challenge-store.ts'
import { createSubscriptionCheckoutStore } from '#adapters/prisma/billing/checkout-store.ts'
import { createSubscriptionCouponStore } from '#adapters/prisma/billing/coupon-store.ts'
import { verifyWalletSignature } from '#adapters/solana/transactions/wallet-transactions.ts'
import type { SubscriptionIntent } from '#core/billing/subscription-intent.ts'
import type { Tier } from '#core/billing/tier.ts'
import { MAINNET_GENESIS_HASH } from '#core/chain/known-networks.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { createSharedWait } from '#services/billing/approvals/send.ts'
import { createWatchApprovals } from '#services/billing/approvals/settle.ts'
import { createCheckoutServices } from '#services/billing/checkout/checkout.ts'
import type { CheckoutServices, PreparedApprove, PreparedProof } from '#services/billing/checkout/checkout-services.ts'
import type { CheckoutDeps } from '#services/billing/checkout/deps.ts'
import { addSubscriptionIntent } from './billing-rows.ts'
import { startChargingWorld } from './charging-world.ts'
import { createTestSecrets } from './keys.ts'

const CHECK_MS = 80

export async function startCheckoutWorld() {
  const world = await startChargingWorld()
  const { db, parts, tools, mint } = world
  const secrets = createTestSecrets(random)
  const deps: CheckoutDeps = {
    ...parts,
    checkouts: createSubscriptionCheckoutStore(db),
    subscriptionCoupons: createSubscriptionCouponStore(db),
    approvals: createApprovalStore(db),
    challenges: createChallengeStore(db),
    random,
    payUrl: 'https://pay.example.com/pay',
    genesisHashOf: async () => MAINNET_GENESIS_HASH,
    secrets,
    verify: verifyWalletSignature,
    knownSignature: async () => world.known,
    subscriptionsPerWallet: 3,
    sponsorLamportsPerDay: makeLamports(1_000_000_000),
    sponsorLamportsPerBusiness: makeLamports(1_000_000_000),
    sleep: async () => void (await wait(CHECK_MS)),
    waitForEnd: createSharedWait(),
  }
  const rpc = createSolanaRpc(tools.rpcUrl)
  const watch = createWatchApprovals({ ...deps, onError: parts.onError })
  /** Opens a checkout of the tier. Returns its token and its id. */
  async function open(
    tier: Tier,
    patch: Partial<Pick<SubscriptionIntent, 'subscriberWallet' | 'walletPinned' | 'couponId' | 'expiresAt'>> = {},
  ) {
    const token = randomUUID()
    const { id } = await addSubscriptionIntent(db, tier)
    const tokenHash = Uint8Array.from(secrets.hash(token))
    const expiresAt = new Date(world.clock.now().getTime() + 86_400_000)
    await db.prisma.subscriptionIntent.update({ where: { id }, data: { tokenHash, expiresAt, ...patch } })
    return { token, id }
  }

  /** Ends the approve of a checkout as if its time were over and no one had signed it. The next one may have its blockhash. */
  async function abandon(intentId: string): Promise<void> {
    const data = { state: 'dead', feePayerSignature: null }
    await db.prisma.approval.updateMany({ where: { intentId, state: 'prepared' }, data })
  }

  const services = createCheckoutServices(deps)
  return {
    ...world,
    deps,
    services,
    /** Services with some parts replaced. */
    servicesWith: (patch: Partial<CheckoutDeps>) => createCheckoutServices({ ...deps, ...patch }),
    watch: () => watch('live'),

    open,
    /** Sends a transaction as a wallet does. */
    async broadcast(wire: Uint8Array): Promise<void> {
      await rpc.sendTransaction(asBase64(wire), { encoding: 'base64', skipPreflight: true }).send()
    },

    async freeze(owner: Address): Promise<void> {
      const account = await parts.keys.tokenAccountOf(owner, mint.mint, mint.tokenProgram)
      const instruction = getFreezeAccountInstruction({ account, mint: mint.mint, owner: mint.authority })
      await tools.finalized(await tools.send(mint.authority, [instruction]))
    },

    abandon,

    /** Prepares approves of the wallet that no one signs, each by a checkout of its own, for any wallet or for this one. */
    async holdByStrangers(tier: Tier, wallet: Address, times: number, walletPinned = false): Promise<void> {
      for (let stranger = 0; stranger < times; stranger += 1) {
        const { token, id } = await open(tier, walletPinned ? { subscriberWallet: wallet, walletPinned } : {})
        await prepareApprove(services, token, wallet)
        await abandon(id)
      }
    },

    /** The states of the approves of a checkout, the oldest first. */
    approvals: (intentId: string) =>
      db.prisma.approval.findMany({ where: { intentId }, orderBy: { createdAt: 'asc' } }),
  }
}

const asBase64 = (wire: Uint8Array) => {
  const text = getBase64Decoder().decode(wire)
  const isWire = (value: string): value is Parameters<ReturnType<typeof createSolanaRpc>['sendTransaction']>[0] =>
    value !== ''
  if (!isWire(text)) throw new Error('no transaction')
  return text
}

type Preparing = Pick<CheckoutServices, 'prepareCheckout'>

/** Prepares a checkout for a wallet whose allowance has no room. */
export async function prepareApprove(services: Preparing, token: string, wallet: Address): Promise<PreparedApprove> {
  const prepared = await services.prepareCheckout(token, wallet)
  if (!prepared.requiresSignature) throw new Error('the allowance has room')
  return prepared
}

/** Prepares a checkout for a wallet whose allowance has room. */
export async function prepareProof(services: Preparing, token: string, wallet: Address): Promise<PreparedProof> {
  const prepared = await services.prepareCheckout(token, wallet)
  if (prepared.requiresSignature) throw new Error('the allowance has no room')
  return prepared
}

/** Returns the answer of a wallet to a challenge. */
export async function answered(
  owner: KeyPairSigner,
  { challenge: { nonce, message } }: { readonly challenge: Pick<PreparedProof['challenge'], 'nonce' | 'message'> },
) {
  const signature = await signBytes(owner.keyPair.privateKey, new TextEncoder().encode(message))
  return { wallet: owner.address, nonce, signature: Buffer.from(signature).toString('base64') }
}

/** Returns the transaction with the signature of its owner. */
export async function signedBy(
  owner: KeyPairSigner,
  { transaction }: Pick<PreparedApprove, 'transaction'>,
): Promise<Uint8Array> {
  const signature = await signBytes(owner.keyPair.privateKey, transaction.subarray(129))
  return Uint8Array.of(...transaction.subarray(0, 65), ...signature, ...transaction.subarray(129))
}
