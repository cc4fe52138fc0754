// How a person shows who it is: by a passkey or a wallet, for one purpose.
import { ask } from '#dashboard/browser/data.ts'
import type { Fault } from '#dashboard/browser/fault.ts'
import { createPasskey, PasskeyRefused, usePasskey } from '#dashboard/browser/passkeys.ts'
import { site } from '#dashboard/browser/site.ts'
import {
  DashboardAddPasskeyDocument,
  DashboardAddWalletDocument,
  DashboardChallengePasskeyDocument,
  DashboardChallengeWalletDocument,
  type DashboardLogInFragment,
  DashboardLogInWithPasskeyDocument,
  DashboardLogInWithWalletDocument,
  DashboardProveWithPasskeyDocument,
  DashboardProveWithWalletDocument,
} from '#dashboard/documents.generated.ts'
import { connect, prove, type Wallet, WalletCannot, WalletRefused } from '#pay/browser/wallets.ts'

export type Purpose =
  | { readonly kind: 'log_in' }
  /** `link` is the token of a link; null adds a login in a session. */
  | { readonly kind: 'add_login'; readonly link: string | null }
  | { readonly kind: 'prove' }

/** Where a login leads. */
export type Outcome =
  | { readonly kind: 'done' }
  /** The wallet logs in to several businesses: `choose` takes the id of one, with the same signature. */
  | {
      readonly kind: 'choose'
      readonly businesses: DashboardLogInFragment['businesses']
      choose(businessId: string): Promise<Outcome>
    }
  | { readonly kind: 'refused'; readonly fault: Fault }

const DONE: Outcome = { kind: 'done' }
const refused = (fault: Fault): Outcome => ({ kind: 'refused', fault })

/** Never throws. */
export const byPasskey = (purpose: Purpose): Promise<Outcome> => settled(passkeyLogin(purpose))
export const byWallet = (purpose: Purpose, wallet: Wallet): Promise<Outcome> => settled(walletLogin(purpose, wallet))

const linkOf = (purpose: Purpose): string | null => (purpose.kind === 'add_login' ? purpose.link : null)

async function passkeyLogin(purpose: Purpose): Promise<Outcome> {
  const link = linkOf(purpose)
  const challenged = await ask(DashboardChallengePasskeyDocument, { purpose: purpose.kind, link })
  if ('fault' in challenged) return refused(challenged.fault)
  const { options } = challenged.data
  switch (purpose.kind) {
    case 'add_login':
      return outcomeOf(
        await ask(DashboardAddPasskeyDocument, { answer: await createPasskey(options), link, name: null }),
      )
    case 'log_in':
      return outcomeOf(await ask(DashboardLogInWithPasskeyDocument, { answer: await usePasskey(options) }))
    case 'prove':
      return outcomeOf(await ask(DashboardProveWithPasskeyDocument, { answer: await usePasskey(options) }))
  }
}

async function walletLogin(purpose: Purpose, wallet: Wallet): Promise<Outcome> {
  const account = await connect(wallet, site.chains.live ?? '')
  const link = linkOf(purpose)
  const own = { wallet: account.address }
  const challenged = await ask(DashboardChallengeWalletDocument, { ...own, purpose: purpose.kind, link })
  if ('fault' in challenged) return refused(challenged.fault)
  const proof = await prove(wallet, account, challenged.data.challenge)
  switch (purpose.kind) {
    case 'add_login':
      return outcomeOf(await ask(DashboardAddWalletDocument, { ...own, ...proof, link, name: wallet.name }))
    case 'log_in': {
      const logIn = async (businessId: string | null): Promise<Outcome> =>
        outcomeOf(await ask(DashboardLogInWithWalletDocument, { ...own, ...proof, businessId }), logIn)
      return await logIn(null)
    }
    case 'prove':
      return outcomeOf(await ask(DashboardProveWithWalletDocument, { ...own, ...proof }))
  }
}

type Asked =
  | { readonly fault: Fault }
  | { readonly data: { readonly outcome: DashboardLogInFragment } | { readonly me: object } }

function outcomeOf(asked: Asked, logIn?: (businessId: string) => Promise<Outcome>): Outcome {
  if ('fault' in asked) return refused(asked.fault)
  if (!('outcome' in asked.data) || asked.data.outcome.me !== null || logIn === undefined) return DONE
  const { businesses } = asked.data.outcome
  return { kind: 'choose', businesses, choose: (businessId) => settled(logIn(businessId)) }
}

const settled = (login: Promise<Outcome>): Promise<Outcome> =>
  login.catch((error: unknown) => refused({ code: codeOf(error), message: '' }))

/** Codes of the page itself, next to those of docs/errors.md. */
function codeOf(error: unknown): string {
  if (error instanceof PasskeyRefused) return 'passkey_refused'
  if (error instanceof WalletRefused) return 'wallet_refused'
  if (error instanceof WalletCannot) return 'wallet_cannot'
  return 'internal_error'
}
