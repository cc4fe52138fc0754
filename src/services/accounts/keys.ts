// API keys: made, rolled and revoked by the operator, by members, and by keys that may. A key is shown once, when it is made.
import { type Account, type Tenant, tenantOf } from '#core/accounts/account.ts'
import { type ApiKey, MAX_LIVE_KEYS, MAX_OVERLAP_SECONDS } from '#core/accounts/api-key.ts'
import type { Actor, Authorship } from '#core/accounts/audit.ts'
import { type KeyPermission, USUAL_KEY_SCOPES } from '#core/accounts/permissions.ts'
import type { Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { AccountStore, KeyStore } from '#ports/accounts.ts'
import type { Clock } from '#ports/clock.ts'
import type { Random } from '#ports/random.ts'
import type { Secrets } from '#ports/secrets.ts'
import { isUuid } from '#services/requests.ts'
import type { DirectoryChanged } from './directory.ts'
import { EVERY_PERMISSION, type Manager } from './manager.ts'
import { readName } from './names.ts'

/** `apiKey` is shown here and never again. */
export type ShownKey = { readonly key: ApiKey; readonly apiKey: string }

export type RolledKey = ShownKey & { readonly old: ApiKey }

export type NewKeyInput = {
  /** `API key` when left out. */
  readonly name?: string | null | undefined
  /** The usual ones when left out, as far as they may be given. */
  readonly scopes?: readonly KeyPermission[] | null | undefined
}

export type KeyServices = {
  /** Returns the operator as a manager of a business. Throws `account_not_found`, and `invalid_request` for a seller. */
  operatorOf(accountId: string, actor: Actor): Promise<Manager>
  /** Returns the operator as the manager of the key. Throws `key_not_found`. */
  operatorOfKey(keyId: string, actor: Actor): Promise<Manager>
  /** Throws `invalid_request`, `forbidden` for a scope that may not be given, and `key_limit_reached`. */
  create(manager: Manager, input: NewKeyInput, id?: string): Promise<ShownKey>
  /** Returns the live keys, the newest first, and up to a hundred that were revoked last. */
  list(tenant: Tenant): Promise<readonly ApiKey[]>
  /**
   * Makes a key with the name and the scopes of another one, which works for `overlapSeconds` more. Throws `key_not_found`,
   * also for a revoked key, `invalid_request`, `forbidden` and `key_limit_reached`.
   */
  roll(manager: Manager, keyId: string, overlapSeconds: number, id?: string): Promise<RolledKey>
  /** Returns a key as its creation did. Throws `key_not_found`, and `forbidden` for a scope that may not be given. */
  findCreated(manager: Manager, id: string): Promise<ShownKey>
  /** Returns a key that was put in the place of another one as the roll did. Throws as `findCreated` does. */
  findRolled(manager: Manager, keyId: string, id: string): Promise<RolledKey>
  /** Stops a key within seconds. A repeat changes nothing. Throws `key_not_found`. */
  revoke(manager: Manager, keyId: string): Promise<ApiKey>
}

export type KeyDeps = {
  readonly accounts: Pick<AccountStore, 'find'>
  readonly apiKeys: Pick<KeyStore, 'create' | 'find' | 'roll' | 'revoke' | 'list' | 'ownerOf'>
  readonly directoryChanged: DirectoryChanged
  readonly secrets: Pick<Secrets, 'apiKeyOf'>
  readonly random: Pick<Random, 'uuid'>
  readonly clock: Clock
}

const USUAL_NAME = 'API key'
const MAX_REVOKED_SHOWN = 100
const HINT_LENGTH = 4

export function createKeyServices(deps: KeyDeps): KeyServices {
  const { accounts, apiKeys, clock, directoryChanged } = deps
  const authorOf = ({ actor }: Manager): Authorship => ({ actor, at: clock.now() })
  const operatorOf: KeyServices['operatorOf'] = async (accountId, actor) => {
    const account = isUuid(accountId) ? await accounts.find(accountId) : null
    return { tenant: ownerOf(account, accountId), actor, mayGive: EVERY_PERMISSION }
  }
  const find = async (tenant: Tenant, id: string): Promise<ApiKey> => {
    const key = isUuid(id) ? await apiKeys.find(tenant, id) : null
    if (key === null) throw keyNotFound(id)
    return key
  }
  return {
    operatorOf,

    async operatorOfKey(keyId, actor) {
      const accountId = isUuid(keyId) ? await apiKeys.ownerOf(keyId) : null
      if (accountId === null) throw keyNotFound(keyId)
      return await operatorOf(accountId, actor)
    },

    async create(manager, input, id) {
      const { tenant, mayGive } = manager
      const { accountId, network } = tenant
      const scopes = input.scopes ?? USUAL_KEY_SCOPES.filter((scope) => mayGive.has(scope))
      requireGivable(manager, scopes)
      const { secret, ...issued } = issueKey(deps, network, id)
      const name = readName('name', input.name ?? USUAL_NAME)
      const key = await apiKeys.create({ ...issued, accountId, name, scopes: [...new Set(scopes)] }, authorOf(manager))
      if (key === null) throw keyLimitReached()
      return { key, apiKey: secret }
    },

    list: ({ accountId }) => apiKeys.list(accountId, { live: MAX_LIVE_KEYS, revoked: MAX_REVOKED_SHOWN }, clock.now()),

    async roll(manager, keyId, overlapSeconds, id) {
      if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > MAX_OVERLAP_SECONDS)
        throw invalid('overlap_seconds', `must be an integer from 0 to ${MAX_OVERLAP_SECONDS}`)
      const { tenant } = manager
      const by = authorOf(manager)
      requireGivable(manager, (await find(tenant, keyId)).scopes)
      const { secret, ...issued } = issueKey(deps, tenant.network, id)
      const revokeAt = new Date(by.at.getTime() + overlapSeconds * 1_000)
      const rolled = await apiKeys.roll(tenant, keyId, { ...issued, revokeAt }, by)
      if (rolled === null) throw keyNotFound(keyId)
      if (rolled === 'full') throw keyLimitReached()
      await directoryChanged()
      return { ...rolled, apiKey: secret }
    },

    async findCreated(manager, id) {
      const { tenant } = manager
      const key = await find(tenant, id)
      // Another manager who repeats the request has no more than what is theirs.
      requireGivable(manager, key.scopes)
      return { key, apiKey: deps.secrets.apiKeyOf(tenant.network, id).secret }
    },

    async findRolled(manager, keyId, id) {
      return { ...(await this.findCreated(manager, id)), old: await find(manager.tenant, keyId) }
    },

    async revoke(manager, keyId) {
      const key = isUuid(keyId) ? await apiKeys.revoke(manager.tenant, keyId, authorOf(manager)) : null
      if (key === null) throw keyNotFound(keyId)
      await directoryChanged()
      return key
    },
  }
}

/** Returns what is drawn for a new key, with its secret. */
export function issueKey(
  { secrets, random }: Pick<KeyDeps, 'secrets' | 'random'>,
  network: Network,
  id = random.uuid(),
) {
  const { secret, hash } = secrets.apiKeyOf(network, id)
  return { id, secret, hash, hint: secret.slice(-HINT_LENGTH) }
}

/** A manager gives a key only what is theirs to give. */
function requireGivable({ mayGive }: Manager, scopes: readonly KeyPermission[]): void {
  if (scopes.length === 0) throw invalid('scopes', 'must name at least one scope')
  const permission = scopes.find((scope) => !mayGive.has(scope))
  if (permission !== undefined) throw new ServiceError('forbidden', { permission })
}

function ownerOf(account: Account | null, id: string): Tenant {
  if (account === null) throw new ServiceError('account_not_found', { id })
  // A seller has no login, no dashboard and no API key.
  if (account.marketplaceAccountId !== null) throw invalid('accountId', 'is a seller, and sellers have no keys')
  return tenantOf(account)
}

const keyNotFound = (id: string) => new ServiceError('key_not_found', { id })
const keyLimitReached = () => new ServiceError('key_limit_reached', { limit: MAX_LIVE_KEYS })
const invalid = (field: string, rule: string) => new ServiceError('invalid_request', { field, rule })
