// Businesses, for the operator. The first key and the webhook secret are shown once, when they are made.
import { type Account, type PaymentDefaults, type Tenant, tenantOf } from '#core/accounts/account.ts'
import type { Actor } from '#core/accounts/audit.ts'
import { type Brand, NO_BRAND, readColor } from '#core/accounts/brand.ts'
import { USUAL_KEY_SCOPES } from '#core/accounts/permissions.ts'
import { hrefOf, readRedirect, readRedirects } from '#core/billing/host.ts'
import type { Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { FIRST_SECRET } from '#core/events/endpoint.ts'
import { isBasisPoints } from '#core/money/amounts.ts'
import { isEmail } from '#core/payments/customer-details.ts'
import { MAX_UNDERPAYMENT_TOLERANCE_BPS } from '#core/payments/payment-intent.ts'
import type { AccountColumns, AccountStore } from '#ports/accounts.ts'
import type { RedirectDomainStore } from '#ports/catalogue.ts'
import type { Clock } from '#ports/clock.ts'
import type { WebhookSecrets } from '#ports/events.ts'
import type { Random } from '#ports/random.ts'
import type { Secrets } from '#ports/secrets.ts'
import type { AccountServices, BrandPatch, DefaultsPatch } from '#services/accounts/account-services.ts'
import { judgeDomains } from '#services/billing/domains.ts'
import { readEventTypes, readWebhookUrl } from '#services/events/endpoints.ts'
import { formatWebhookSecret } from '#services/events/signature.ts'
import type { SaveImage } from '#services/images/images.ts'
import { isUuid, readReason } from '#services/requests.ts'
import type { Authenticator } from './authenticate.ts'
import type { Directory, DirectoryChanged } from './directory.ts'
import { issueKey } from './keys.ts'
import { readName } from './names.ts'
import type { JudgeSweepDestination } from './sweep-destination.ts'

export type AccountDeps = {
  readonly accounts: Pick<AccountStore, 'open' | 'update' | 'find' | 'list' | 'webhookUrl' | 'webhookEvents'>
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  readonly directory: Pick<Directory, 'account' | 'tokens'>
  readonly redirectDomains: Pick<RedirectDomainStore, 'active'>
  readonly directoryChanged: DirectoryChanged
  readonly saveImage: SaveImage
  readonly judgeSweepDestination: JudgeSweepDestination
  /** Returns false for a network that this deployment does not serve. */
  readonly serves: (network: Network) => boolean
  readonly secrets: Pick<Secrets, 'apiKeyOf'>
  readonly webhookSecrets: WebhookSecrets
  readonly random: Pick<Random, 'uuid'>
  readonly clock: Clock
  readonly allowPrivateWebhooks: boolean
  /** In a sandbox a payment may lead back to a page of the developer's machine. */
  readonly isSandbox: boolean
}

const FIRST_KEY = 'First key'

export function createAccountServices(deps: AccountDeps): AccountServices {
  const { accounts, directoryChanged } = deps
  const changeStanding = async (id: string, patch: AccountColumns, actor: Actor): Promise<Account> => {
    const changed = found(await accounts.update(id, patch, { actor, at: deps.clock.now() }), id)
    await directoryChanged()
    return changed
  }
  const find = async (id: string): Promise<Account> => found(isUuid(id) ? await accounts.find(id) : null, id)

  return {
    authenticate: deps.authenticator.authenticate,
    create: (input, actor) => openAccount(deps, input, actor),

    async update(id, patch, actor) {
      const account = await find(id)
      // A change of a seller is in the audit trail of its marketplace, which sets its logo, and whose brand its pages have.
      if (account.marketplaceAccountId !== null) throw invalid('id', 'is a seller, which `seller update` changes')
      const { name, label, sweepDestination, webhookUrl, webhookEvents, logo } = patch
      if (sweepDestination != null) await deps.judgeSweepDestination(account.network, sweepDestination)
      const brand = readBrand(patch)
      const defaults = await readDefaults(deps, tenantOf(account), patch)
      const fields = {
        ...brand,
        ...defaults,
        ...(name !== undefined && { name: readName('name', name) }),
        ...(label !== undefined && { label: label === null ? null : readName('label', label) }),
        ...(sweepDestination !== undefined && { sweepDestination }),
      }
      const url = webhookUrl == null ? null : readWebhookUrl(deps, 'webhookUrl', webhookUrl)
      const types = webhookEvents?.length ? webhookEvents : ['*']
      const eventTypes = webhookEvents === undefined ? undefined : readEventTypes('webhookEvents', types)
      if (eventTypes?.length && url === null) await requireEndpoint(deps, id, webhookUrl)
      const endpoint = {
        ...(webhookUrl !== undefined && { url }),
        ...(eventTypes !== undefined && { eventTypes }),
      }
      const isUntouched = Object.keys(endpoint).length === 0
      // Last, so that nothing is stored for a change that is refused.
      const logoName = logo == null ? logo : await deps.saveImage(logo)
      const by = { actor, at: deps.clock.now() }
      const change = isUntouched ? undefined : endpoint
      const changed = { ...fields, ...(logoName !== undefined && { logoName }) }
      const updated = found(await accounts.update(id, changed, by, change), id)
      await directoryChanged()
      return updated
    },

    async disable(id, reason, actor) {
      const disabledReason = readReason(reason)
      const { disabledAt } = await find(id)
      return await changeStanding(id, { disabledAt: disabledAt ?? deps.clock.now(), disabledReason }, actor)
    },

    async enable(id, actor) {
      const account = await find(id)
      if (account.disabledAt === null) return account
      return await changeStanding(id, { disabledAt: null, disabledReason: null }, actor)
    },

    async brandOf(id) {
      const account = await deps.directory.account(id)
      if (account?.marketplaceAccountId == null) return account?.brand ?? NO_BRAND
      const marketplace = await deps.directory.account(account.marketplaceAccountId)
      return { ...(marketplace?.brand ?? NO_BRAND), logoName: account.brand.logoName }
    },

    find,
    list: () => accounts.list(),
    webhookUrl: async (id) => (isUuid(id) ? await accounts.webhookUrl(id) : null),
    webhookEvents: async (id) => (isUuid(id) ? await accounts.webhookEvents(id) : []),
  }
}

async function openAccount(
  deps: AccountDeps,
  input: Parameters<AccountServices['create']>[0],
  actor: Actor,
): ReturnType<AccountServices['create']> {
  const { network, sweepDestination, webhookUrl } = input
  const name = readName('name', input.name)
  const label = input.label === null ? null : readName('label', input.label)
  const url = webhookUrl === null ? null : readWebhookUrl(deps, 'webhookUrl', webhookUrl)
  if (!deps.serves(network)) throw new ServiceError('network_unavailable', { network })
  if (sweepDestination !== null) await deps.judgeSweepDestination(network, sweepDestination)

  const { secret, ...issued } = issueKey(deps, network)
  const account = await deps.accounts.open(
    { id: deps.random.uuid(), network, name, label, sweepDestination },
    { ...issued, name: FIRST_KEY, scopes: USUAL_KEY_SCOPES },
    url,
    { actor, at: deps.clock.now() },
  )
  // The endpoint that the operator sets, now or later, has the id of the account.
  const webhookSecret = formatWebhookSecret(deps.webhookSecrets.secret(account.id, FIRST_SECRET))
  return { account, apiKey: secret, webhookSecret }
}

function found(account: Account | null, id: string): Account {
  if (account === null) throw new ServiceError('account_not_found', { id })
  return account
}

const invalid = (field: string, rule: string): ServiceError => new ServiceError('invalid_request', { field, rule })

/** Returns the defaults that are given, in the form in which they are stored. Throws ServiceError. */
async function readDefaults(
  deps: Pick<AccountDeps, 'directory' | 'redirectDomains' | 'isSandbox'>,
  tenant: Tenant,
  { acceptedAssets, successUrl, cancelUrl, underpaymentToleranceBps }: DefaultsPatch,
): Promise<Partial<PaymentDefaults>> {
  const tolerance = underpaymentToleranceBps ?? 0
  if (!isBasisPoints(tolerance) || tolerance > MAX_UNDERPAYMENT_TOLERANCE_BPS)
    throw invalid('underpaymentToleranceBps', `must be from 0 to ${MAX_UNDERPAYMENT_TOLERANCE_BPS}`)
  const tokens = await deps.directory.tokens(tenant.network)
  const strange = acceptedAssets?.find((asset) => tokens.get(asset)?.enabled !== true)
  if (strange !== undefined) throw new ServiceError('token_not_accepted_on_platform', { asset: strange })
  const given = { successUrl: successUrl ?? null, cancelUrl: cancelUrl ?? null }
  const redirects = readRedirects(given, { allowsLocal: deps.isSandbox })
  if (typeof redirects === 'string') throw new ServiceError('invalid_redirect_url', { field: redirects })
  const refusal = await judgeDomains(deps, [tenant], redirects)
  if (refusal !== null) throw refusal
  return {
    ...(acceptedAssets !== undefined && { acceptedAssets: [...new Set(acceptedAssets)] }),
    ...(successUrl !== undefined && { successUrl: hrefOf(redirects, 'success_url') }),
    ...(cancelUrl !== undefined && { cancelUrl: hrefOf(redirects, 'cancel_url') }),
    ...(underpaymentToleranceBps !== undefined && { underpaymentToleranceBps: tolerance }),
  }
}

/** Returns the fields that are given, in the form in which they are stored. Throws `invalid_request`. */
function readBrand({ accentColor, supportUrl, supportEmail }: Omit<BrandPatch, 'logo'>): Partial<Brand> {
  const read = (field: string, text: string | null, reading: (text: string) => string | null, rule: string) => {
    const value = text === null ? null : reading(text.trim())
    if (text !== null && value === null) throw invalid(field, rule)
    return value
  }
  return {
    ...(accentColor !== undefined && {
      accentColor: read('accentColor', accentColor, readColor, 'must be a color such as #00aa77'),
    }),
    ...(supportUrl !== undefined && {
      supportUrl: read(
        'supportUrl',
        supportUrl,
        (text) => readRedirect(text)?.href ?? null,
        'must be an https URL without a port',
      ),
    }),
    ...(supportEmail !== undefined && {
      supportEmail: read(
        'supportEmail',
        supportEmail,
        (text) => (isEmail(text) ? text : null),
        'must be an email address',
      ),
    }),
  }
}

/** Throws `invalid_request` for an account that has no URL of webhooks, or that is about to have none. */
async function requireEndpoint(
  { accounts }: Pick<AccountDeps, 'accounts'>,
  id: string,
  newUrl: string | null | undefined,
): Promise<void> {
  if (newUrl === null || (await accounts.webhookUrl(id)) === null)
    throw invalid('webhookEvents', 'needs a URL of webhooks')
}
