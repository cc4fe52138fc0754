// The allowlists, with what the extensions of each token can do.
import { useState } from 'preact/hooks'
import { useChange, useRead } from '#dashboard/browser/data.ts'
import { idsIn } from '#dashboard/browser/fault.ts'
import { Button, Card, Dialog, Empty, FaultNotice, Loading, Page, Table } from '#dashboard/browser/parts/basics.tsx'
import { Choice, Confirm, Field, Form } from '#dashboard/browser/parts/forms.tsx'
import {
  OperatorAllowTokenDocument,
  OperatorDisallowTokenDocument,
  OperatorTokensDocument,
  type OperatorTokensQuery,
} from '#dashboard/operator/documents.generated.ts'
import { Address, NetworkBadge, SERVED } from '#dashboard/operator/parts.tsx'
import { useOwnWords } from '#dashboard/operator/words.ts'

type Token = OperatorTokensQuery['tokens'][number]

export function TokensPage() {
  const { say } = useOwnWords()
  const { data, fault } = useRead(OperatorTokensDocument, {})
  const [isOpen, setOpen] = useState(false)
  const title = say('tokens')
  return (
    <Page
      title={title}
      actions={
        <Button kind="primary" onPress={() => setOpen(true)}>
          {say('allowToken')}
        </Button>
      }
    >
      {isOpen && <Allow onClose={() => setOpen(false)} />}
      <Card>
        {data === null && fault === null && <Loading />}
        <FaultNotice fault={fault} />
        {data?.tokens.length === 0 && <Empty title={say('noTokens')}>{say('noTokensText')}</Empty>}
        {data !== null && data.tokens.length > 0 && (
          <Table
            label={title}
            rows={data.tokens}
            keyOf={({ network, asset }) => `${network} ${asset}`}
            columns={[
              {
                label: say('token'),
                cell: ({ ticker, name, network, asset }) => (
                  <span class="payment">
                    <strong dir="ltr">{ticker}</strong> <bdi>{name}</bdi> <NetworkBadge network={network} />
                    {asset !== 'SOL' && <Address address={asset} network={network} />}
                  </span>
                ),
              },
              { label: say('canDo'), cell: ({ extensions }) => <Extensions extensions={extensions} /> },
              { label: say('status'), cell: (token) => <Status token={token} /> },
              { label: say('actions'), kind: 'actions', cell: (token) => <Switch key={token.asset} token={token} /> },
            ]}
          />
        )}
      </Card>
    </Page>
  )
}

/** What the issuer of a token can do, by the names of Token-2022. Others touch no payment. */
const KNOWN = [
  'permanent-delegate',
  'pausable',
  'mint-close-authority',
  'transfer-hook',
  'transfer-fee-config',
  'default-account-state',
  'confidential-transfer-mint',
  'confidential-transfer-fee-config',
] as const
const isKnown = (extension: string): extension is (typeof KNOWN)[number] => KNOWN.some((one) => one === extension)

function Extensions({ extensions }: { extensions: readonly string[] }) {
  const { say } = useOwnWords()
  const known = extensions.filter(isKnown)
  if (known.length === 0) return <span class="hint">{say('nothingSpecial')}</span>
  return (
    <ul class="powers">
      {known.map((extension) => (
        <li key={extension} title={extension}>
          {say(`ext_${extension}`)}
        </li>
      ))}
    </ul>
  )
}

function Status({ token: { enabled, priceProblem } }: { token: Token }) {
  const { say } = useOwnWords()
  return (
    <>
      <span class={`badge ${enabled ? 'good' : 'quiet'}`}>{say(enabled ? 'enabled' : 'disabled')}</span>
      {enabled && priceProblem != null && (
        <p class="hint" dir="auto">
          {priceProblem}
        </p>
      )}
    </>
  )
}

function Switch({ token }: { token: Token }) {
  const { say } = useOwnWords()
  const disallow = useChange(OperatorDisallowTokenDocument)
  const allow = useChange(OperatorAllowTokenDocument)
  const { network, asset, name, ticker, feedKey, enabled, extensions } = token
  // Turned off, it had the consent to what it could do then; the service asks again for what is new.
  const input = { network, asset, name, ticker, feedKey, consent: [...extensions] }
  return enabled ? (
    <Confirm
      label={say('turnOff')}
      question={say('turnOffQuestion', { ticker })}
      isBusy={disallow.isBusy}
      fault={disallow.fault}
      onConfirm={() => disallow.run({ network, asset })}
    />
  ) : (
    <>
      <Button isBusy={allow.isBusy} onPress={() => void allow.run({ input })}>
        {say('turnOn')}
      </Button>
      <FaultNotice fault={allow.fault} />
    </>
  )
}

/** Allows a token. Where its issuer has power over holders, the service says which, and takes a consent to each. */
function Allow({ onClose }: { onClose: () => void }) {
  const { say } = useOwnWords()
  const allow = useChange(OperatorAllowTokenDocument)
  const [wanted, setWanted] = useState<readonly string[]>([])
  const missing = allow.fault?.code === 'mint_needs_consent' ? idsIn(allow.fault, 'extensions') : []
  const asked = [...new Set([...wanted, ...missing])]
  return (
    <Dialog title={say('allowToken')} onClose={onClose}>
      <Form
        submit={say('allow')}
        isBusy={allow.isBusy}
        fault={missing.length > 0 ? null : allow.fault}
        onCancel={onClose}
        onSubmit={async ({ text, all }) => {
          setWanted(asked)
          const network = SERVED.find((one) => one === text('network')) ?? SERVED[0] ?? 'live'
          const input = {
            network,
            asset: text('asset') ?? '',
            name: text('name') ?? '',
            ticker: text('ticker') ?? '',
            feedKey: text('feed_key'),
            consent: [...all('consent')],
          }
          if ((await allow.run({ input })) !== null) onClose()
        }}
      >
        {SERVED.length > 1 && (
          <Choice
            label={say('networkName')}
            name="network"
            options={SERVED.map((network) => [network, say(`network_${network}`)] as const)}
          />
        )}
        <Field label={say('mint')} name="asset" hint={say('mintHint')} maxLength={44} isRequired />
        <Field label={say('name')} name="name" isRequired />
        <Field label={say('ticker')} name="ticker" isRequired />
        <Field label={say('feedKey')} name="feed_key" hint={say('feedKeyHint')} />
        {asked.length > 0 && (
          <fieldset class="consent">
            <legend>
              <span role="alert">{say('consentText')}</span>
            </legend>
            {asked.map((extension) => (
              <label key={extension} class="check">
                <input type="checkbox" name="consent" value={extension} required />
                {isKnown(extension) ? say(`ext_${extension}`) : extension}
              </label>
            ))}
          </fieldset>
        )}
      </Form>
    </Dialog>
  )
}
