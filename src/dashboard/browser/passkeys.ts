// Passkeys, by what browsers have for them.

/** The person refused, or the device did. */
export class PasskeyRefused extends Error {}

/** Whether this browser can take the options of the service as they are. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseCreationOptionsFromJSON' in PublicKeyCredential

type Options = Readonly<Record<string, unknown>>
type Answer = Readonly<Record<string, unknown>>

/** Makes a passkey. Throws PasskeyRefused. */
export const createPasskey = (options: Options): Promise<Answer> =>
  answered(() =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
        parsed<PublicKeyCredentialCreationOptionsJSON>(options),
      ),
    }),
  )

/** Signs with a passkey. Throws PasskeyRefused. */
export const usePasskey = (options: Options): Promise<Answer> =>
  answered(() =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
        parsed<PublicKeyCredentialRequestOptionsJSON>(options),
      ),
    }),
  )

/** The service answers with what browsers parse. */
const parsed = <Form>(options: Options): Form => JSON.parse(JSON.stringify(options))

async function answered(asking: () => Promise<Credential | null>): Promise<Answer> {
  const credential = await asking().catch((cause: unknown) => {
    throw new PasskeyRefused('no passkey answered', { cause })
  })
  if (!(credential instanceof PublicKeyCredential)) throw new PasskeyRefused('no passkey answered')
  return { ...credential.toJSON() }
}
