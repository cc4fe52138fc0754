// Who changed what: the entries of an audit log in words.
import type { Fault } from '#dashboard/browser/fault.ts'
import { Card, Empty, FaultNotice, Loading, Time } from '#dashboard/browser/parts/basics.tsx'
import { Filter, type List, type PageOf, Pager } from '#dashboard/browser/parts/lists.tsx'
import { isText, useWords, type Words } from '#dashboard/browser/say.tsx'
import type { DashboardAuditEntryFragment } from '#dashboard/documents.generated.ts'
import type { TextKey } from '#dashboard/texts/texts.ts'

type Entry = DashboardAuditEntryFragment

/** What the entries of a marketplace and its sellers are about. */
export const MARKETPLACE_ACTIONS = [
  'marketplace_updated',
  'seller_created',
  'seller_updated',
  'seller_payout_changed',
  'seller_fee_changed',
  'seller_archived',
  'payment_created',
  'settlement_leg_waived',
] as const satisfies readonly Entry['action'][]

/** What any entry is about. */
export const AUDIT_ACTIONS: readonly Entry['action'][] = [
  'business_updated',
  'business_payout_changed',
  'business_payout_change_requested',
  'business_payout_change_canceled',
  'key_created',
  'key_rolled',
  'key_revoked',
  'webhook_created',
  'webhook_updated',
  'webhook_deleted',
  'webhook_secret_rotated',
  'domain_added',
  'domain_archived',
  'payment_address_proposed',
  'payment_address_approved',
  'payment_address_declined',
  'refund_created',
  'refund_canceled',
  'member_invited',
  'member_updated',
  'member_removed',
  'member_link_created',
  'member_login_added',
  'member_login_removed',
  'member_session_started',
  'member_session_ended',
  'business_applied',
  'business_application_refused',
  ...MARKETPLACE_ACTIONS,
]

type Action = Entry['action']

type AuditListProps = {
  readonly label: string
  /** What the entries can be about, and what they are now; null for all of it. */
  readonly actions: readonly Action[]
  readonly action: Action | null
  /** Null until they are read. */
  readonly entries: PageOf<Entry> | null
  readonly fault: Fault | null
  readonly show: List<'action'>['show']
}

/** A page of a log, and which of its entries are shown. */
export function AuditList({ label, actions, action, entries, fault, show }: AuditListProps) {
  const { say } = useWords()
  return (
    <>
      <search class="filters">
        <Filter
          label={say('what')}
          value={action}
          options={actions.map((one) => [one, say(`did_${one}`)])}
          onChoose={(chosen) => show({ action: chosen })}
        />
      </search>
      <Card>
        {entries === null && fault === null && <Loading />}
        <FaultNotice fault={fault} />
        {entries?.edges.length === 0 && <Empty title={say(action === null ? 'noAuditEntries' : 'noAuditMatch')} />}
        {entries !== null && entries.edges.length > 0 && (
          <>
            <Entries label={label} entries={entries.edges.map(({ node }) => node)} />
            <Pager label={label} info={entries.pageInfo} show={show} />
          </>
        )}
      </Card>
    </>
  )
}

function Entries({ label, entries }: { label: string; entries: readonly Entry[] }) {
  const { say } = useWords()
  return (
    <ol class="log" aria-label={label}>
      {entries.map((entry) => (
        <li key={entry.id}>
          <p class="head">
            <strong>{say(`did_${entry.action}`)}</strong>
            <Time iso={entry.createdAt} isExact />
          </p>
          <p class="hint">
            <Actor actor={entry.actor} />
          </p>
          <dl class="changes">
            {entry.seller !== null && (
              <div>
                <dt>{say('theSeller')}</dt>
                <dd>
                  <bdi>{entry.seller.name}</bdi>
                </dd>
              </div>
            )}
            {Object.entries(entry.changes).map(([field, change]) =>
              UNSHOWN.has(field) ? null : <Change key={field} field={field} change={change} />,
            )}
          </dl>
        </li>
      ))}
    </ol>
  )
}

const KINDS: Readonly<Record<Entry['actor']['kind'], TextKey>> = {
  member: 'byMember',
  api_key: 'byKey',
  operator: 'byOperator',
  service: 'byService',
  buyer: 'byBuyer',
}

function Actor({ actor: { kind, credential, ip } }: Pick<Entry, 'actor'>) {
  const { say } = useWords()
  const who = say(KINDS[kind], { who: credential ?? '' })
  return <>{ip === null ? who : `${who} · ${say('fromAddress', { ip })}`}</>
}

/** What the fields are called where people enter them; another field keeps its name. */
const FIELDS: Readonly<Record<string, TextKey>> = {
  name: 'name',
  label: 'label',
  description: 'description',
  metadata: 'metadata',
  reference: 'reference',
  email: 'email',
  role: 'role',
  status: 'status',
  external_id: 'externalId',
  logo_url: 'logo',
  accent_color: 'accentColor',
  support_url: 'supportPage',
  support_email: 'supportEmail',
  accepted_tokens: 'payableIn',
  success_url: 'successPage',
  cancel_url: 'cancelPage',
  underpayment_tolerance_bps: 'tolerance',
  sweep_destination: 'wallet',
  effective_at: 'takesEffect',
  marketplace_fee_bps: 'marketplaceFee',
  default_fee_bps: 'defaultFee',
  fee_wallet: 'feeWallet',
  seller_limit: 'sellerLimit',
  price_usd_cents: 'amount',
  website: 'website',
  sells: 'sells',
  expected_volume: 'expectedVolume',
  reason: 'reason',
  address: 'address',
  scopes: 'mayDo',
  host: 'domain',
  hint: 'keyEnd',
  login: 'loginWay',
  enabled: 'status',
  event_types: 'event',
  secret_version: 'secretVersion',
  revoked_at: 'worksUntil',
  old_revoked_at: 'worksUntil',
  link_expires_at: 'worksUntil',
  archived_at: 'did_seller_archived',
  payment_id: 'payment',
  marketplace_amount: 'marketplace',
  platform_amount: 'platform',
}

/** Ids say nothing to a person. */
const UNSHOWN: ReadonlySet<string> = new Set(['id', 'session'])

/** The values of these fields are words of the API. */
const WORDS: ReadonlySet<string> = new Set(['role', 'status'])

type ChangeProps = { readonly field: string; readonly change: unknown }

function Change({ field, change }: ChangeProps) {
  const words = useWords()
  const [before, after]: readonly unknown[] = Array.isArray(change) ? change : []
  const known = FIELDS[field]
  const label = known === undefined ? <code dir="ltr">{field}</code> : words.say(known)
  const [old, present] = [textOf(words, field, before), textOf(words, field, after)]
  if (old === null && present === null) return null
  const isSame = JSON.stringify(before) === JSON.stringify(after)
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {old !== null && !isSame && (
          <>
            <del>
              <bdi>{old}</bdi>
            </del>{' '}
            <span class="arrow" aria-hidden="true">
              →
            </span>{' '}
          </>
        )}
        <ins>
          <bdi>{present ?? '–'}</bdi>
        </ins>
      </dd>
    </div>
  )
}

/** Returns what a scope lets a key do; a scope of a newer service keeps its name. */
function scopeIn(say: Words['say'], scope: string): string {
  const key = `scope_${scope.replaceAll('-', '_')}`
  return isText(key) ? say(key) : scope
}

/** Returns a value in words; null for nothing. */
function textOf({ say, formats, exactTime, percent }: Words, field: string, value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number') {
    if (field.endsWith('_bps')) return percent(value)
    return field.endsWith('_usd_cents') ? formats.dollars(value) : formats.number(value)
  }
  if (typeof value === 'string') {
    if (field.endsWith('_at')) return exactTime(value)
    return WORDS.has(field) && isText(value) ? say(value) : value
  }
  if (typeof value === 'boolean') return say(value ? 'enabled' : 'disabled')
  if (Array.isArray(value)) {
    const isScopes = field === 'scopes'
    return (isScopes ? value.map((scope) => scopeIn(say, String(scope))).join(' · ') : value.join(', ')) || null
  }
  return JSON.stringify(value)
}
