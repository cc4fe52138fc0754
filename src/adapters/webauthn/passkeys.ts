import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Passkey } from '#core/accounts/member.ts'
import type { PasskeySite } from '#core/accounts/passkey-site.ts'
import { isRecord } from '#core/json.ts'
import type { PasskeyVerifier, WebAuthnJson } from '#ports/members.ts'

/** EdDSA, ES256 and RS256: what today's authenticators have. */
const ALGORITHMS = [-8, -7, -257]

/** Loads the library and its parsers of certificates with the first passkey. */
const load = () => import('@simplewebauthn/server')

export function createPasskeyVerifier({ host, origin }: PasskeySite): PasskeyVerifier {
  const descriptors = (passkeys: readonly Passkey[]) =>
    passkeys.map(({ id, transports }) => ({ id, transports: [...transports] }))
  return {
    creationOptions: async ({ challenge, userId, userName, existing }) => ({
      ...(await (
        await load()
      ).generateRegistrationOptions({
        rpName: host,
        rpID: host,
        userName,
        userDisplayName: userName,
        userID: new TextEncoder().encode(userId),
        challenge: Uint8Array.from(challenge),
        excludeCredentials: descriptors(existing),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: ALGORITHMS,
      })),
    }),

    requestOptions: async ({ challenge, allowed }) => ({
      ...(await (
        await load()
      ).generateAuthenticationOptions({
        rpID: host,
        challenge: Uint8Array.from(challenge),
        allowCredentials: descriptors(allowed),
        userVerification: 'required',
      })),
    }),

    read(answer) {
      const { id, response } = answer
      if (typeof id !== 'string' || !isRecord(response) || typeof response.clientDataJSON !== 'string') return null
      const challenge = challengeIn(response.clientDataJSON)
      return challenge === null ? null : { id, challenge }
    },

    async verifyNew(answer, challenge) {
      if (!isRegistration(answer)) return null
      const verified = await (await load())
        .verifyRegistrationResponse({
          response: answer,
          expectedChallenge: base64url(challenge),
          expectedOrigin: origin,
          expectedRPID: host,
          supportedAlgorithmIDs: ALGORITHMS,
        })
        .catch(() => null)
      if (verified?.registrationInfo === undefined) return null
      const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential
      return { id, publicKey, counter, transports }
    },

    async verify(answer, challenge, { id, publicKey, counter }) {
      if (!isAuthentication(answer)) return null
      const verified = await (await load())
        .verifyAuthenticationResponse({
          response: answer,
          expectedChallenge: base64url(challenge),
          expectedOrigin: origin,
          expectedRPID: host,
          credential: { id, publicKey: Uint8Array.from(publicKey), counter },
        })
        .catch(() => null)
      return verified?.verified === true ? verified.authenticationInfo.newCounter : null
    },
  }
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

function challengeIn(clientDataJson: string): Uint8Array | null {
  try {
    const clientData: unknown = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString())
    if (!isRecord(clientData) || typeof clientData.challenge !== 'string') return null
    return Uint8Array.from(Buffer.from(clientData.challenge, 'base64url'))
  } catch {
    return null
  }
}

const hasTexts = (value: unknown, names: readonly string[]): value is Readonly<Record<string, string>> =>
  isRecord(value) && names.every((name) => typeof value[name] === 'string')

const isAnswer = (answer: WebAuthnJson, names: readonly string[]): boolean =>
  hasTexts(answer, ['id', 'rawId', 'type']) && hasTexts(answer.response, names)

/** The library refuses every other field that it reads and that is wrong. */
const isRegistration = (answer: WebAuthnJson): answer is WebAuthnJson & RegistrationResponseJSON =>
  isAnswer(answer, ['clientDataJSON', 'attestationObject'])
const isAuthentication = (answer: WebAuthnJson): answer is WebAuthnJson & AuthenticationResponseJSON =>
  isAnswer(answer, ['clientDataJSON', 'authenticatorData', 'signature'])
