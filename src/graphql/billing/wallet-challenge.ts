// The text that a wallet signs as a proof, and its answer. docs/billing.md, "Wallet proofs".
import type { SignInInput } from '#core/billing/proof/sign-in.ts'
import { builder } from '#graphql/builder.ts'
import type { Challenge } from '#services/billing/wallet-proof.ts'

const SignInInputType = builder.objectRef<SignInInput>('SignInInput').implement({
  description: 'The input of `signIn` of a wallet (Sign In With Solana), as it is.',
  fields: (t) => ({
    domain: t.exposeString('domain', { description: 'The host of the page.' }),
    address: t.expose('address', { type: 'SolanaAddress', description: 'The wallet.' }),
    statement: t.exposeString('statement', { description: 'The sentence for people.' }),
    uri: t.exposeString('uri', { description: 'The page, without its token.' }),
    version: t.exposeString('version', { description: 'The version of the format.' }),
    chainId: t.exposeString('chainId', { description: 'The chain.' }),
    nonce: t.exposeString('nonce', { description: 'The nonce of the answer.' }),
    issuedAt: t.exposeString('issuedAt', { description: 'When it was issued, in ISO 8601.' }),
    expirationTime: t.exposeString('expirationTime', { description: 'When it expires, in ISO 8601.' }),
    requestId: t.exposeString('requestId', { description: 'The id of the challenge.' }),
    resources: t.stringList({
      description: 'The subscription, and the SHA-256 of the terms.',
      resolve: ({ resources }) => [...resources],
    }),
  }),
})

export const WalletChallenge = builder.objectRef<Challenge>('WalletChallenge').implement({
  description: 'A text for a wallet to sign.',
  fields: (t) => ({
    nonce: t.exposeString('nonce', { description: 'The nonce, to be sent with the signature.' }),
    message: t.exposeString('message', { description: 'The text, for wallets with `signMessage` only.' }),
    input: t.expose('input', { type: SignInInputType, description: 'The same text as the input of `signIn`.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTimeISO', description: 'Until when it can be answered.' }),
  }),
})

/** The arguments of an answer. The service refuses a nonce without a signature, and a signature without a nonce. */
export const PROOF = {
  nonce: { description: 'The `nonce` of the challenge.' },
  signature: { description: 'The signature of the text by the wallet, in base58 or base64.' },
  signedMessage: { description: 'The bytes that the wallet signed, in base64, when it changed the text.' },
} as const

/** The description of `replacesDelegate`. */
export const REPLACES_DELEGATE =
  'The other delegate of the token account, whose permission the transaction takes away: what is paid through it stops. Null where there is none.'
