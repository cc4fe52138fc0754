// How members log in, set up logins, and prove again that they are there: by a passkey. docs/dashboard.md.
import type { Passkey } from '#core/accounts/member.ts'
import type { PasskeySite } from '#core/accounts/passkey-site.ts'
import { CHALLENGE_MS } from '#core/billing/proof/challenge.ts'
import { ServiceError } from '#core/errors.ts'
import type { Answered, FoundLogin, PasskeyVerifier, WebAuthnJson } from '#ports/members.ts'
import { issueNonce, readNonce } from '#services/marked-nonce.ts'
import {
  type Asked,
  addLogin,
  type Browser,
  type LoginDeps,
  logIn,
  type Opened,
  prove,
  type SignedIn,
  type Subject,
  subjectOf,
} from './logins.ts'
import { readName } from './names.ts'

/** Each throws `passkeys_unavailable` where passkeys do not work. */
export type PasskeyServices = {
  /** Returns why passkeys do not work here, in a sentence for people; null when they do. */
  fault(): string | null
  /** Returns what a page passes to `navigator.credentials`. Throws as `LoginServices.challengeWallet` does. */
  challengePasskey(asked: Asked): Promise<WebAuthnJson>
  /** Lets a passkey log in. Throws as `LoginServices.addWallet` does. */
  addPasskey(
    by: Omit<Asked, 'purpose'>,
    given: { readonly name: string | null; readonly answer: WebAuthnJson },
    browser: Browser,
  ): Promise<Opened>
  /** Throws `invalid_signature`, and `login_refused` for a passkey of no member. */
  logInWithPasskey(answer: WebAuthnJson, browser: Browser): Promise<Opened>
  /** Notes the proof in the session. Throws as `logInWithPasskey` does, for a passkey of another member too. */
  proveWithPasskey(signedIn: SignedIn, answer: WebAuthnJson, browser: Browser): Promise<void>
}

export type PasskeyDeps = LoginDeps & {
  /** Or why passkeys do not work here. */
  readonly passkeys: (PasskeySite & { readonly verifier: PasskeyVerifier }) | string
}

const USUAL_NAME = 'Passkey'

export function createPasskeyServices(deps: PasskeyDeps): PasskeyServices {
  function verifierOf(): PasskeyVerifier {
    if (typeof deps.passkeys === 'string') throw new ServiceError('passkeys_unavailable', { rule: deps.passkeys })
    return deps.passkeys.verifier
  }

  /** Reads an answer to a challenge of this purpose. */
  function read(verifier: PasskeyVerifier, about: string, answer: WebAuthnJson) {
    const { id, challenge } = verifier.read(answer) ?? {}
    if (id === undefined || challenge === undefined) throw new ServiceError('incomplete_proof')
    const nonce = readNonce(deps, { about, nonce: Buffer.from(challenge).toString('hex'), now: deps.wallClock.now() })
    if (typeof nonce === 'string') throw new ServiceError('invalid_signature', { rule: nonce })
    const expiresAt = new Date(nonce.now.getTime() + CHALLENGE_MS)
    const answered: Answered = { hash: deps.secrets.hash(nonce.nonce), expiresAt }
    return { id, challenge, answered }
  }

  /** Verifies an answer by the passkey that it is from. */
  async function verify(about: string, answer: WebAuthnJson) {
    const verifier = verifierOf()
    const { id, challenge, answered } = read(verifier, about, answer)
    const login: FoundLogin | null = await deps.logins.findPasskey(id)
    if (login === null || login.passkey === null) throw new ServiceError('login_refused')
    const counter = await verifier.verify(answer, challenge, login.passkey)
    if (counter === null) throw new ServiceError('invalid_signature', { rule: 'not_signed' })
    return { login, answered, counter }
  }

  return {
    fault: () => (typeof deps.passkeys === 'string' ? deps.passkeys : null),

    async challengePasskey(asked) {
      const verifier = verifierOf()
      const subject = await subjectOf(deps, asked)
      const { nonce } = issueNonce(deps, aboutOf(asked, subject), deps.wallClock.now())
      const challenge = Uint8Array.from(Buffer.from(nonce, 'hex'))
      const own: readonly Passkey[] = subject === null ? [] : await deps.logins.passkeysOf(subject.member.id)
      if (asked.purpose !== 'add_login' || subject === null)
        return await verifier.requestOptions({ challenge, allowed: own })
      const { member, account } = subject
      const userName = `${member.name} (${account.name})`
      return await verifier.creationOptions({ challenge, userId: member.id, userName, existing: own })
    },

    async addPasskey(by, { name, answer }, browser) {
      const verifier = verifierOf()
      const asked = { ...by, purpose: 'add_login' } as const
      const subject = await subjectOf(deps, asked)
      if (subject === null) throw new ServiceError('login_link_not_found')
      const { challenge, answered } = read(verifier, aboutOf(asked, subject), answer)
      const passkey = await verifier.verifyNew(answer, challenge)
      if (passkey === null) throw new ServiceError('invalid_signature', { rule: 'not_signed' })
      const login = { id: deps.random.uuid(), name: readName('name', name ?? USUAL_NAME), wallet: null, passkey }
      return await addLogin(deps, { member: subject.member, login, answered, link: by.link }, browser)
    },

    async logInWithPasskey(answer, browser) {
      const verified = await verify(aboutOf({ purpose: 'log_in' }, null), answer)
      return await logIn(deps, verified, browser)
    },

    async proveWithPasskey(signedIn, answer, browser) {
      const asked = { purpose: 'prove', link: null, signedIn } as const
      const { login, ...proof } = await verify(aboutOf(asked, await subjectOf(deps, asked)), answer)
      await prove(deps, signedIn, { found: [login], ...proof }, browser)
    },
  }
}

/** The purpose is a part of it, so that no answer serves another one, nor one to a text for a wallet. */
const aboutOf = ({ purpose }: Pick<Asked, 'purpose'>, subject: Subject | null): string =>
  `${purpose} ${subject?.member.id ?? ''} passkey`
