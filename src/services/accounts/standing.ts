// What a disabled business may not do: docs/contract.md, "A disabled account". Every change of the public API asks here, so the
// usual answer, that no account is disabled, costs no query.
import { ServiceError } from '#core/errors.ts'
import type { CredentialStore, Secrets } from '#ports/secrets.ts'
import type { Directory } from './directory.ts'

/** Who asks for a change: a business, by its id, or the page of a buyer or subscriber, by its secret. */
export type Changer = { readonly accountId: string } | { readonly secret: string }

export type StandingServices = {
  /** Throws `account_disabled` when the operator has disabled the account, or the marketplace of the seller. */
  requireEnabled(changer: Changer): Promise<void>
}

export type StandingDeps = {
  readonly directory: Pick<Directory, 'disabled'>
  readonly credentials: Pick<CredentialStore, 'isOfDisabled'>
  readonly secrets: Pick<Secrets, 'hash'>
}

export const createStandingServices = ({ directory, credentials, secrets }: StandingDeps): StandingServices => ({
  async requireEnabled(changer) {
    const disabled = await directory.disabled()
    if (disabled.size === 0) return
    const isDisabled =
      'secret' in changer
        ? await credentials.isOfDisabled(secrets.hash(changer.secret))
        : disabled.has(changer.accountId)
    if (isDisabled) throw new ServiceError('account_disabled')
  },
})
